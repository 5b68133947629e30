/// What things take in memory, in bytes, beside the ``DeviceFootprint`` of a system: measured as the growth of a
/// process, spare room of its arrays included.
enum DeviceMemory {
    /// A simulation without devices.
    static let process = 50e6
    /// A live run without devices: event loops and, in most of them, a collector.
    static let liveProcess = 57e6
    /// An event from before the run, in a store that is made for it.
    static let prefilledEvent = 44.0
    /// A connection of a live run, with both of its ends where the collector is in the process.
    static let connection = 10_000.0
    /// A request in virtual time whose answer is on its way.
    static let openRequest = 400.0
    /// An event that is known by its natural key, in the sets of both sides of the audit.
    static let naturalKey = 170.0
}
