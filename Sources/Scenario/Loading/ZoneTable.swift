import AppModel
package import Timebase
import Wire

/// The time zones that a scenario may name: whoever loads it knows them.
package struct ZoneTable: Sendable {
    package var names: [String]
    /// The offsets of a zone; `nil` for a name that it does not know.
    package var offsets: @Sendable (String) -> UTCOffsets?

    package init(names: [String], offsets: @escaping @Sendable (String) -> UTCOffsets?) {
        self.names = names
        self.offsets = offsets
    }

    /// UTC alone.
    package static let universal = ZoneTable(names: ["UTC"]) { $0 == "UTC" ? UTCOffsets(first: .zero) : nil }
}

extension ScenarioBinder {
    /// The zones of a population's people; `nil` if one of them is not sound.
    mutating func bindZones(_ draft: PopulationDraft, _ table: ZoneTable) -> TimeZones? {
        guard let zones = draft.timeZones else {
            return TimeZones(offset: draft.utcOffset?.value ?? PopulationDraft.defaultOffset)
        }
        if let offset = draft.utcOffset {
            reading.report(
                .conflict, offset.place, found: "\"utcOffset\" and \"timeZones\"", allowed: "one of them")
        }
        var bound: [(table: UTCOffsets, weight: Double)] = []
        for zone in zones.value {
            guard let offsets = table.offsets(zone.name) else {
                reading.report(
                    .unknownName, zone.place, found: "\"\(zone.name)\"",
                    allowed: "a time zone of the IANA database, such as \"Europe/Berlin\"",
                    nearest: NameDistance.nearest(to: zone.name, among: table.names))
                continue
            }
            bound.append((offsets, zone.value))
        }
        guard bound.count == zones.value.count else { return nil }
        guard bound.contains(where: { $0.weight > 0 }) else {
            reading.report(.conflict, zones.place, allowed: "a weight above 0")
            return nil
        }
        return TimeZones(bound, names: zones.value.map(\.name))
    }
}

extension ScenarioBinder {
    /// What a population calls the zone that most of its people live in; `nil` where it names none.
    static func zoneName(_ draft: PopulationDraft) -> String? {
        if let offset = draft.utcOffset?.value {
            return "UTC" + (Form<Interval>.utcOffset.encode(offset)?.string ?? "")
        }
        // As ``TimeZones/usualOffset(at:)`` has it: the first of the heaviest.
        let zones = draft.timeZones?.value ?? []
        return zones.first { $0.value == zones.map(\.value).max() }?.name
    }
}

/// How local time goes by in a zone.
package struct LocalTime: Sendable {
    /// The zone, as the scenario names it.
    package var zone: String
    package var offsets: UTCOffsets
}

extension ScenarioDocument {
    /// The local time of the people: that of the first population which says where they live. `nil` where none does.
    package var localTime: LocalTime? {
        populations.lazy.compactMap { population in
            population.zoneName.map { LocalTime(zone: $0, offsets: population.zones.usual) }
        }.first
    }
}

extension TimeZones {
    /// The zone that most people live in.
    fileprivate var usual: UTCOffsets {
        let weights = zip(choice.cumulative, [0] + choice.cumulative).map { $0 - $1 }
        let most = weights.indices.max { (weights[$0], $1) < (weights[$1], $0) } ?? 0
        return tables[most]
    }

    /// Its offset at an instant.
    func usualOffset(at instant: Instant) -> Interval { usual.offset(at: instant).offset }
}
