import Accounting
import DeviceSDK
import Synchronization
import Wire

/// The devices that a live run traces.
struct TracedDevices: Hashable, Sendable {
    /// The most that one run traces: their file is for reading, and their fleets are slower.
    static let limit = 1000
    let numbers: Set<UInt32>

    /// Reads `5,17`.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for anything but numbers of the run's devices.
    init(_ text: String, of deviceCount: Int) throws(CommandFailure) {
        var numbers: Set<UInt32> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = UInt32(part), number < UInt32(clamping: deviceCount) else {
                throw CommandFailure(
                    .usage,
                    "--trace-devices: found \"\(part)\", allowed are numbers of devices from 0 to \(deviceCount - 1), "
                        + "with commas between")
            }
            numbers.insert(number)
        }
        guard numbers.count <= TracedDevices.limit else {
            throw CommandFailure(
                .usage,
                "--trace-devices: \(numbers.count) devices, allowed are at most \(TracedDevices.limit)")
        }
        self.numbers = numbers
    }
}

/// The file `trace.ndjson` of a live run's folder: a line for each thing that happened on a traced device.
///
/// Shards write to it at the same time; the lines of a device are in order. Grows as `trace.ndjson.partial` and is renamed
/// at the end.
final class TraceFile: Sendable {
    private struct State {
        var file: AppendingFile
        var text = WireBuffer()
        var failure: CommandFailure?
    }

    /// Lines are handed to the disk in blocks of about this many bytes.
    private static let blockSize = 1 << 16

    let devices: Set<UInt32>
    private let path: String
    private let state: Mutex<State>

    init(of devices: TracedDevices, in folder: RunFolder) throws(CommandFailure) {
        self.devices = devices.numbers
        path = folder.file(ReplayRecord.traceName)
        state = Mutex(State(file: try AppendingFile(path: path + ".partial")))
    }

    /// Writes a line for each step. A failure is kept for ``finish()``; what follows it is dropped.
    var listener: TracingFleet.Listener {
        { [self] device, step in
            state.withLock { state in
                guard state.failure == nil else { return }
                state.text.append(TraceLine.text(step, of: device) + "\n")
                if state.text.count >= TraceFile.blockSize { TraceFile.flush(&state) }
            }
        }
    }

    private static func flush(_ state: inout State) {
        do throws(CommandFailure) {
            try state.file.append(state.text.bytes)
        } catch {
            state.failure = error
        }
        state.text.removeAll(keepingCapacity: true)
    }

    /// Writes what is left and gives the file its final name.
    ///
    /// - Throws: the first failure of any write; the partial file then keeps its name.
    func finish() throws(CommandFailure) {
        let failure: CommandFailure? = state.withLock { state in
            if state.failure == nil { TraceFile.flush(&state) }
            if let failure = state.failure { return failure }
            do throws(CommandFailure) {
                try state.file.finish(renamingTo: path)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// The steps of a device in the file of a run's folder.
    ///
    /// - Parameter labels: How many types and names of events the device's population has.
    /// - Returns: `nil` if there is no such file, or if it did not trace the device.
    /// - Throws: ``CommandFailure`` with code 104 that names a line that cannot be read.
    static func steps(
        of device: UInt32, labels: Int, in folder: String
    ) throws(CommandFailure) -> [TraceStep]? {
        let path = "\(folder)/\(ReplayRecord.traceName)"
        guard OutputFile.exists(path) else { return nil }
        let bytes = try OutputFile.read(path, failing: .invalidScenario)
        var steps: [TraceStep] = []
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let read = TraceLine.read(Array(line)) else {
                throw CommandFailure(.invalidScenario, "\(path):\(number + 1): not a line of a trace")
            }
            guard read.device == device else { continue }
            if case .sealed(let event) = read.step.what, event.label >= labels {
                throw CommandFailure(
                    .invalidScenario,
                    "\(path):\(number + 1): label: found \(event.label), and the device has events of \(labels) names"
                )
            }
            steps.append(read.step)
        }
        return steps.isEmpty ? nil : steps
    }
}
