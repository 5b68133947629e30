package import CollectorModel
package import Timebase

/// Reads the file of `collect --faults`, such as
/// `{"seed": 1, "timeline": [{"at": "10s", "for": "5s", "collector": {"fault": "outage"}}]}`:
/// entries as in a scenario, times counted from the collector's start.
package enum FaultsFile {
    /// As far ahead as an entry may lie.
    private static let horizon = Interval.hours(24 * 365)

    private static let format: ObjectDescription<ScenarioDraft> = ObjectDescription(
        "What a collector does wrong, and when.",
        start: {
            var draft = ScenarioDraft()
            draft.duration = horizon
            return draft
        },
        [
            Field("seed", \.seed, .seed, "Seed of the draws that decide which requests a share concerns."),
            Field(
                "timeline", \.timeline, .list(of: TimelineDraft.form), required: true,
                "Faults and configurations."),
            Field(
                "wrongChecksumStatus", \.wrongChecksumStatus, .integer(200...599),
                "Answer to an upload whose crc is wrong; by default it is only counted."),
        ])

    /// Reads a file.
    ///
    /// - Parameter start: The collector's start.
    /// - Returns: the plan, or every problem that was found.
    package static func load(
        bytes: [UInt8], name: String, start: Instant
    ) -> Result<CollectorPlan, ScenarioProblems> {
        var reading = Reading()
        guard let file = ScenarioLoader.read(bytes, &reading) else {
            return .failure(ScenarioProblems(problems: reading.problems))
        }
        let root = Place(node: file, path: JSONPath())
        let draft = format.decode(root, &reading) ?? format.start()
        var binder = ScenarioBinder(draft: draft, root: root, reading: reading)
        let timeline = binder.bindTimeline()
        for entry in draft.timeline {
            let places = [entry.value.device?.place, entry.value.client?.place]
            for place in places.compactMap({ $0 }) {
                binder.reading.report(
                    .conflict, place, allowed: "entries for the collector: there are no devices here")
            }
        }
        guard binder.reading.problems.isEmpty else {
            return .failure(ScenarioProblems(problems: ScenarioLoader.sorted(binder.reading.problems)))
        }
        let document = ScenarioDocument(
            name: name, description: "", seed: draft.seed, start: nil, duration: draft.duration, drain: .zero,
            populations: [], timeline: timeline, thresholds: [], warnings: [], overrides: [],
            redactor: Redactor(secrets: []))
        var plan = document.plans(start: start).collector
        plan.wrongChecksumStatus = draft.wrongChecksumStatus.map(UInt16.init)
        return .success(plan)
    }
}
