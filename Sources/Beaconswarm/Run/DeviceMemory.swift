/// What things take in memory, in bytes, beside a system's own ``SystemRuleSet/memoryPerDevice``: measured as the
/// growth of a process, spare room of its arrays included.
enum DeviceMemory {
    /// A run without devices.
    static let process = 40e6
    static let storedEvent = 36.0
    /// A connection of a live run.
    static let connection = 6000.0
    /// A request in virtual time whose answer is on its way.
    static let openRequest = 400.0
    /// An event that is known by its natural key, in the sets of both sides of the audit.
    static let naturalKey = 90.0
}
