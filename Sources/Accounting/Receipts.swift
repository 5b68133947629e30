#if PLANTED
    import Timebase
#endif

/// The name of an event that carries no id of the harness: 128 bits over its natural key.
package struct NaturalKey: Hashable, Comparable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the text form: exactly 32 hexadecimal digits, either case.
    package init?(text: some Collection<UInt8>) {
        guard text.count == 32 else { return nil }
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for byte in text {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            halves.high = halves.high << 4 | halves.low >> 60
            halves.low = halves.low << 4 | UInt64(digit)
        }
        self.init(high: halves.high, low: halves.low)
    }

    /// 32 hexadecimal digits in lower case.
    package var text: String {
        let digits = Array("0123456789abcdef")
        var text = ""
        for half in [high, low] {
            for shift in stride(from: 60, through: 0, by: -4) {
                text.append(digits[Int(half >> UInt64(shift) & 15)])
            }
        }
        return text
    }

    package static func < (left: NaturalKey, right: NaturalKey) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

/// What a collector holds, as far as an audit needs to know: which events, and how many copies.
///
/// About one bit per event with an id of the harness; some 30 bytes per event known by its natural key.
package struct Receipts: Sendable, Equatable {
    /// Distinct ids held.
    package private(set) var held = EventBitmap()
    /// Distinct natural keys held.
    package private(set) var heldNatural: Set<NaturalKey> = []
    /// Copies beyond the first, by id.
    private var extraCopies: [EventID: UInt32] = [:]
    private var extraNaturalCopies: [NaturalKey: UInt32] = [:]
    /// Ids that a planned fault acknowledged without keeping them.
    package private(set) var swallowed = EventBitmap()
    package private(set) var swallowedNatural: Set<NaturalKey> = []
    /// Ids that were only checked (`Dry-Run`).
    package private(set) var dryRun = EventBitmap()
    package private(set) var dryRunNatural: Set<NaturalKey> = []
    /// Copies beyond the first.
    package private(set) var duplicates: UInt64 = 0
    /// Events that could not be read; what names no event counts as one.
    package var undecodable: UInt64 = 0

    /// Makes the receipts of an empty store.
    package init() {}

    /// Events held, each once.
    package var unique: UInt64 { UInt64(held.count + heldNatural.count) }
    /// Events held, every copy counted.
    package var received: UInt64 { unique + duplicates }

    func copiesBeyondFirst(of id: EventID) -> UInt64 { UInt64(extraCopies[id] ?? 0) }
    func copiesBeyondFirst(of key: NaturalKey) -> UInt64 { UInt64(extraNaturalCopies[key] ?? 0) }

    /// Records a copy of an event.
    ///
    /// - Returns: the copy's number: 0 for the first.
    package mutating func record(_ id: EventID) -> Int {
        if held.insert(id) { return 0 }
        #if PLANTED
            if Planted.has(.dedupByCopy) { return 0 }
        #endif
        duplicates += 1
        extraCopies[id, default: 0] += 1
        return Int(extraCopies[id, default: 0])
    }

    /// Records a copy of an event that is known by its natural key.
    ///
    /// - Returns: the copy's number: 0 for the first.
    package mutating func recordNatural(high: UInt64, low: UInt64) -> Int {
        let key = NaturalKey(high: high, low: low)
        if heldNatural.insert(key).inserted { return 0 }
        duplicates += 1
        extraNaturalCopies[key, default: 0] += 1
        return Int(extraNaturalCopies[key, default: 0])
    }

    /// Takes back the latest copy of an event: it was recorded, but the store failed to keep it.
    package mutating func withdraw(_ id: EventID) {
        if let extra = extraCopies[id] {
            duplicates -= 1
            extraCopies[id] = extra > 1 ? extra - 1 : nil
        } else {
            _ = held.remove(id)
        }
    }

    /// Takes back the latest copy of an event that is known by its natural key.
    package mutating func withdraw(_ key: NaturalKey) {
        if let extra = extraNaturalCopies[key] {
            duplicates -= 1
            extraNaturalCopies[key] = extra > 1 ? extra - 1 : nil
        } else {
            heldNatural.remove(key)
        }
    }

    /// Notes that a planned fault acknowledged the event without keeping it.
    package mutating func noteSwallowed(_ id: EventID) { _ = swallowed.insert(id) }
    package mutating func noteSwallowed(_ key: NaturalKey) { swallowedNatural.insert(key) }

    /// Notes that the event was checked and acknowledged, as the client asked, and not kept.
    package mutating func noteDryRun(_ id: EventID) { _ = dryRun.insert(id) }
    package mutating func noteDryRun(_ key: NaturalKey) { dryRunNatural.insert(key) }

    /// Adds what another store holds; an event that both hold has one copy more.
    package mutating func merge(_ other: Receipts) {
        other.held.forEach { _ = record($0) }
        for key in other.heldNatural { _ = recordNatural(high: key.high, low: key.low) }
        for (id, extra) in other.extraCopies { extraCopies[id, default: 0] += extra }
        for (key, extra) in other.extraNaturalCopies { extraNaturalCopies[key, default: 0] += extra }
        let extras = other.extraCopies.values.reduce(0) { $0 + UInt64($1) }
        duplicates += other.extraNaturalCopies.values.reduce(extras) { $0 + UInt64($1) }
        swallowed.formUnion(other.swallowed)
        swallowedNatural.formUnion(other.swallowedNatural)
        dryRun.formUnion(other.dryRun)
        dryRunNatural.formUnion(other.dryRunNatural)
        undecodable += other.undecodable
    }
}
