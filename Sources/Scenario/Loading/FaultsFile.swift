package import CollectorModel
package import Timebase
import Wire

/// Reads the file of `collect --faults`, such as
/// `{"seed": 1, "timeline": [{"at": "10s", "for": "5s", "collector": {"fault": "outage"}}]}`:
/// entries as in a scenario, times counted from the collector's start.
package enum FaultsFile {
    /// As far ahead as an entry may lie.
    private static let horizon = Interval.hours(24 * 365)

    static let format: ObjectDescription<ScenarioDraft> = ObjectDescription(
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
        binder.hasDevices = false
        let timeline = binder.bindTimeline()
        for entry in draft.timeline { refuse(entry, &binder.reading) }
        guard binder.reading.problems.isEmpty else {
            let found = ScenarioProblems(problems: ScenarioLoader.sorted(binder.reading.problems))
            return .failure(FileKind.faults.mistaken(file) ?? found)
        }
        let document = ScenarioDocument(
            name: name, description: "", seed: draft.seed, start: nil, duration: draft.duration, drain: .zero,
            populations: [], timeline: timeline, thresholds: [], warnings: [], overrides: [],
            redactor: Redactor(secrets: []))
        var plan = document.plans(start: start).collector
        plan.wrongChecksumStatus = draft.wrongChecksumStatus.map(UInt16.init)
        return .success(plan)
    }

    /// Reports what no collector can do that runs by itself: what devices do, and what comes too late.
    private static func refuse(_ entry: Located<TimelineDraft>, _ reading: inout Reading) {
        let (node, path) = (entry.place.node, entry.place.path)
        let allowed = TimelineDraft.Kind.allCases.filter { !$0.needsDevices }.map(\.rawValue)
        for kind in TimelineDraft.Kind.allCases where kind.needsDevices {
            guard let change = node[kind.rawValue] else { continue }
            reading.report(
                .conflict, Place(node: change, path: path.appending(kind.rawValue)),
                found: "\"\(kind.rawValue)\"",
                allowed: "entries for the collector, \(quotedList(allowed)): there are no devices here")
        }
        for key in ["over", "share"] where entry.value.remoteConfig != nil {
            guard let value = node[key] else { continue }
            reading.report(
                .conflict, Place(node: value, path: path.appending(key)),
                allowed: "no \"\(key)\": a collector serves a configuration to all who ask")
        }
        if let at = entry.value.at, at >= horizon, let text = node["at"] {
            reading.report(
                .outOfRange, Place(node: text, path: path.appending("at")),
                allowed: "a time before \(horizon.text)")
        }
    }
}
