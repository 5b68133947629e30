package import Timebase

/// A device some of whose draws belong to no event.
package protocol DrawingDevice: TrackedDevice {
    /// How many of those there were. A new installation goes on with it, so that no draw comes twice.
    var drawCount: UInt32 { get set }
}

/// The system of such devices.
package protocol DrawingSystem: TrackingSystem where Device: DrawingDevice {
    var streams: PopulationStreams { get }
}

extension DrawingSystem {
    /// A draw that belongs to a device and to nothing else.
    @inline(__always)
    package func draw(_ device: inout Device, _ purpose: RandomStream.Purpose) -> RandomStream {
        device.drawCount += 1
        return streams.stream(purpose, index: Int(device.index)).child(1 << 32 | UInt64(device.drawCount))
    }
}
