import TestSupport
import Testing

/// Pipelines of built-in systems, written as descriptions, keep the same books: name, fate, cause, uploads and the time of
/// the acknowledgement of each single event.
@Suite("Described twins of built-in systems")
struct DescribedTwinsTests {
    /// What a day must show of the built-in system, or the twins would agree about nothing.
    private static let sensors = [
        "a calm hour": ["delivered"],
        "outages and refusals": ["rejected/429", "rejected/302", "audit/duplicates", "audit/swallowed"],
        "radios that change": ["delivered", "audit/duplicates"],
        "a full store": ["evicted/storage_limit"],
    ]
    private static let trackingSDK = [
        "a calm hour": ["delivered", "audit/duplicates"],
        "outages and refusals": ["lost/cleared_unsent", "audit/duplicates"],
        "radios that change": ["lost/cleared_unsent", "offline"],
    ]
    private static let kit = [
        "a calm week": ["delivered", "pending/stored"],
        "a week with faults": ["delivered", "audit/duplicates"],
    ]

    @Test("Sensors 4.9.1, within hours", arguments: TwinDay.hours)
    func sensors(day: TwinDay) throws { try demand(DescribedTwin.all[0], day, Self.sensors[day.name]) }

    /// Each of its uploads has the whole store: a full one would take minutes to play.
    @Test("TrackingSDK, within hours", arguments: TwinDay.hours.filter { $0.name != "a full store" })
    func trackingSDK(day: TwinDay) throws {
        try demand(DescribedTwin.all[1], day, Self.trackingSDK[day.name])
    }

    @Test("Kit, within weeks", arguments: TwinDay.weeks)
    func kit(day: TwinDay) throws { try demand(DescribedTwin.all[2], day, Self.kit[day.name]) }

    private func demand(_ twin: DescribedTwin, _ day: TwinDay, _ facts: [String]?) throws {
        let played = try TwinComparison.differences(of: twin, on: day)
        #expect(played.differences.isEmpty, "\(played.differences.joined(separator: "\n"))")
        #expect(played.events > 1000)
        #expect(played.facts.isSuperset(of: try #require(facts)), "\(played.facts.sorted())")
    }
}
