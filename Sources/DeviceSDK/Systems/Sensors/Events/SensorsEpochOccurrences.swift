import Wire

/// Where the fragments of the last epoch's block were written last. Those of the next one take over:
/// they differ from them in a property or two.
final class SensorsEpochOccurrences {
    enum Fragment: Int, CaseIterable { case identity, lib, webLib, common, location }

    private let occurrences: UnsafeMutablePointer<LastOccurrence>

    init() {
        occurrences = .allocate(capacity: Fragment.allCases.count)
        occurrences.initialize(repeating: LastOccurrence(), count: Fragment.allCases.count)
    }

    deinit { occurrences.deallocate() }

    subscript(fragment: Fragment) -> UnsafeMutablePointer<LastOccurrence> { occurrences + fragment.rawValue }
}

/// The names of members that all events have and that are followed by digits.
struct SensorsWords {
    let time: SensorsBytes
    let trackIdentifier: SensorsBytes
    let tag: SensorsBytes
    let properties: SensorsBytes

    init(_ arena: SensorsArena) {
        time = arena.keep(Array("\"time\":".utf8))
        trackIdentifier = arena.keep(Array(",\"_track_id\":".utf8))
        tag = arena.keep(Array("\"bs_id\":\"".utf8))
        properties = arena.keep(Array("},\"properties\":{".utf8))
    }
}
