import CollectorServer
import NIOCore
import NIOEmbedded
import Timebase

/// One direction of a simulated connection: bytes under way, in order, cut into segments.
///
/// Confined to the network's loop.
final class ByteStream {
    private let network: SimulatedNetwork
    private weak var receiver: SimulatedChannel?
    private weak var sender: SimulatedChannel?
    /// Bytes that the direction takes before its receiver has read some.
    private var room: Int
    private var lastArrival = NIODeadline.uptimeNanoseconds(0)
    /// Bytes until something happens to the connection; `nil` if nothing does.
    private var fault: (breakage: ConnectionFate.Breakage, remaining: Int)?
    private var isSilent = false

    init(
        _ network: SimulatedNetwork, from sender: SimulatedChannel, to receiver: SimulatedChannel,
        fault: (breakage: ConnectionFate.Breakage, remaining: Int)?
    ) {
        self.network = network
        self.sender = sender
        self.receiver = receiver
        self.fault = fault
        room = network.conditions.window
    }

    /// Takes as much as there is room for.
    func send(_ bytes: inout ByteBuffer) {
        while room > 0, bytes.readableBytes > 0, !isSilent {
            var count = min(network.drawSegment(), room, bytes.readableBytes)
            if let fault { count = min(count, fault.remaining) }
            if count > 0, let segment = bytes.readSlice(length: count) { carry(segment) }
            if fault != nil {
                fault?.remaining -= count
                if fault?.remaining == 0 { break }
            }
        }
        if let fault, fault.remaining == 0, !isSilent { breakDown(fault.breakage) }
        // What is lost on the way does not keep its sender.
        if isSilent { bytes.moveReaderIndex(to: bytes.writerIndex) }
    }

    /// The receiver read so many bytes.
    func consumed(_ count: Int) {
        room += count
        sender?.resumeWriting()
    }

    /// The sender closes.
    func end(byReset: Bool) {
        guard !isSilent else { return }
        isSilent = true
        arrive { byReset ? $0.resetArrived() : $0.endArrived() }
    }

    /// What a host answers to bytes for a connection that it does not know.
    func refuseFurther() { arrive { $0.resetArrived() } }

    private func carry(_ segment: ByteBuffer) {
        room -= segment.readableBytes
        arrive { $0.receive(segment) }
    }

    private func breakDown(_ breakage: ConnectionFate.Breakage) {
        isSilent = true
        switch breakage {
        case .stalled: break
        case .reset:
            arrive { $0.resetArrived() }
            sender?.networkReset()
        case .ended: arrive { $0.endArrived() }
        }
    }

    /// Lets something come to the receiver, behind what is under way.
    private func arrive(_ news: @escaping (SimulatedChannel) -> Void) {
        guard !network.isExhausted else { return }
        let due = max(lastArrival, network.loop.now + TimeAmount(network.drawLatency()))
        lastArrival = due
        network.loop.scheduleTask(deadline: due) { [weak receiver] in
            if let receiver { news(receiver) }
        }
    }
}
