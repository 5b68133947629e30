package import Accounting
import World

/// What a fleet asks of its engine; owned by the engine, filled by the fleet, emptied by the engine
/// after each call.
package struct DeviceEffects {
    /// Requests to start, in order.
    package var requests: ContiguousArray<OutgoingRequest> = []
    /// Devices (slots) whose process died: their connections close and their open requests are
    /// cut, without a call of `complete`.
    package var died: ContiguousArray<UInt32> = []
    /// Events whose fate became final.
    package var sealed: ContiguousArray<SealedEvent> = []
    /// Whether the upload that was completed got an answer that its system takes as success.
    package var isAcknowledged = false
    /// Whether sealed events that bear no id of the harness are to say their natural keys.
    package var needsKeys = true
    /// The bodies of sealed events, of those of whom they are wanted.
    package var bodies = SealedBodies()

    package init() {}

    /// Whether nothing is asked of the engine.
    package var isEmpty: Bool {
        // What bodies there are belong to events that are sealed.
        requests.isEmpty && sealed.isEmpty && died.isEmpty
    }

    /// Takes back what a device asked for in the very call in which its process dies: the engine has not
    /// seen it, and it never leaves.
    ///
    /// - Returns: the requests that had been counted as leaving: not those without a network.
    package mutating func revokeRequests(of slot: UInt32) -> ContiguousArray<OutgoingRequest> {
        let revoked = ContiguousArray(requests.filter { $0.slot == slot && $0.network != .none })
        requests.removeAll { $0.slot == slot }
        return revoked
    }

    /// Empties everything and keeps the memory. Asked for at each wake, when mostly there is nothing.
    package mutating func removeAll() {
        if !requests.isEmpty { requests.removeAll(keepingCapacity: true) }
        if !died.isEmpty { died.removeAll(keepingCapacity: true) }
        if !sealed.isEmpty { sealed.removeAll(keepingCapacity: true) }
        if !bodies.isEmpty { bodies.removeAll() }
        isAcknowledged = false
    }
}
