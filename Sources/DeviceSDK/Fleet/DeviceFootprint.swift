/// Bytes of memory that devices of a system take in virtual time, with their users and what the engine and the audit
/// keep of them. Measured as the growth of a process, spare room of its arrays included.
package struct DeviceFootprint: Hashable, Sendable {
    /// A device that nobody uses.
    package var idle: Int
    /// What one takes beyond that while its app is open; most of it goes when the app is closed.
    package var active: Int
    /// An event that it stores, in its memory.
    package var storedEvent: Int

    package init(idle: Int = 440, active: Int = 700, storedEvent: Int = 50) {
        self.idle = idle
        self.active = active
        self.storedEvent = storedEvent
    }
}
