import DeviceSDK

/// The sequence ids of a device's events, by the events' own sequences, as far back as any of them is
/// still on the device.
///
/// Ids are taken when an event is built, and cannot be told from the sequence: events that were never
/// built have none, and each type counts apart in 3.x. Four bytes an event, eight in 3.x.
struct GrowingSequenceLog: Sendable {
    /// The event whose ids come first.
    private var base: UInt32 = 0
    /// `eventSequenceId`, and `globalSequenceId` of 3.x.
    private var own: ContiguousArray<UInt32> = []
    private var global: ContiguousArray<UInt32> = []

    /// Notes the ids of an event.
    ///
    /// - Parameter global: `nil` in 4.x.
    /// - Precondition: `sequence` is above that of every event noted before.
    mutating func note(_ sequence: UInt32, own ownID: UInt32, global globalID: UInt32?) {
        if own.isEmpty { base = sequence }
        let missing = Int(sequence - base) - own.count
        if missing > 0 {
            own.append(contentsOf: repeatElement(0, count: missing))
            if globalID != nil { global.append(contentsOf: repeatElement(0, count: missing)) }
        }
        own.append(ownID)
        if let globalID { global.append(globalID) }
    }

    /// The ids of an event that was noted and not trimmed.
    subscript(sequence: UInt32) -> (own: UInt32, global: UInt32) {
        let index = Int(sequence) - Int(base)
        precondition(own.indices.contains(index), "the event's ids are gone")
        return (own[index], global.isEmpty ? 0 : global[index])
    }

    /// Forgets the events before `oldest`; all of them for `nil`. O(1) amortised.
    mutating func trim(before oldest: UInt32?) {
        guard !own.isEmpty else { return }
        guard let oldest, Int(oldest) - Int(base) < own.count else {
            own = []
            global = []
            return
        }
        let dead = Int(oldest) - Int(base)
        guard dead >= 64, dead * 2 >= own.count else { return }
        own.removeFirst(dead)
        if !global.isEmpty { global.removeFirst(dead) }
        base = oldest
    }
}
