import Scenario

/// The reader of scenarios, of assignments and of targets.
///
/// The first character says what the rest is: `{` the scenario itself, `s` assignments (`--set`), a line
/// each, for a good scenario, `t` a target for it.
final class ScenarioTarget: FuzzTarget {
    static let name = "scenario"
    static let modes = "{st"
    static let dictionary =
        ScenarioTarget.schemaWords + [
            "${HOME}", "${NONE}", "${", "1m30s", "250ms", "7d", "-1s", "20000 events/s", "1/s",
            "2026-03-02T19:30:00+08:00",
            "9999-12-31T23:59:59Z", "http://127.0.0.1:8106/sa?project=default", "https://[::1]:1/",
            "http://a:65536/",
            "p(99)<250", "rate<0.001", "http_req_duration{population:ios}", "// comment\n",
            "populations.0.sdk.upload.batch=",
            "/populations/-/name=", "timeline.-=",
        ]

    /// Every text of the format's schema: its keys, and the names of its closed sets.
    private static var schemaWords: [String] {
        let parts = ScenarioSchema.text.split(separator: "\"", omittingEmptySubsequences: false)
        let texts = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        return Set(texts).filter { !$0.isEmpty && $0.utf8.count <= 24 && !$0.contains(" ") }.sorted()
    }

    private static let good = """
        {"name": "fuzz", "seed": 42, "duration": "10m", "target": {"url": "http://127.0.0.1:8106/sa"},
         "populations": [{"name": "ios", "devices": 40, "system": "sensors", "version": "4.9.1",
           "sdk": {"upload": {"batch": 50}}, "persona": {"preset": "steady", "rate": "1/s"}}],
         "timeline": [{"at": "3m", "for": "30s", "collector": {"fault": "outage"}}],
         "thresholds": {"events_lost": ["rate<0.001"]}}
        """

    init() {}

    func check(_ input: [UInt8]) throws {
        guard let mode = input.first, mode != UInt8(ascii: "{") else { return try checkText(input) }
        let rest = String(decoding: input.dropFirst(), as: UTF8.self)
        var options = ScenarioOptions()
        if mode == UInt8(ascii: "t") {
            options.target = rest
        } else {
            options.sets = rest.split(separator: "\n").map(String.init)
        }
        _ = try load(Array(ScenarioTarget.good.utf8), options)
    }

    private func load(
        _ text: [UInt8], _ options: ScenarioOptions = ScenarioOptions()
    ) throws -> ScenarioDocument? {
        switch ScenarioLoader.load(
            bytes: text, name: "fuzz", options: options, environment: ["HOME": "/root"])
        {
        case .failure(let failure):
            try demand(!failure.problems.isEmpty, "refused without a problem")
            try demand(
                failure.problems.allSatisfy { !$0.text(file: "f").isEmpty }, "a problem without a text")
            return nil
        case .success(let document):
            try demand(!document.populations.isEmpty, "accepted without a population")
            try demand(document.deviceCount > 0, "accepted with \(document.deviceCount) devices")
            let plans = document.plans(start: document.simulatedStart)
            try demand(plans.populations.count == document.populations.count, "a population has no plan")
            return document
        }
    }

    /// Printed and read again, the text stays, and the scenario means the same.
    private func checkText(_ text: [UInt8]) throws {
        let document = try load(text)
        guard let printed = ScenarioText.normalized(text) else {
            return try demand(document == nil, "what is no JSON is accepted as a scenario")
        }
        try demand(ScenarioText.normalized(printed) == printed, "printing changes what was printed")
        let again = try load(printed)
        // A repeated key is a problem of the text, and gone when it is printed.
        guard let document else { return }
        let before = ScenarioTarget.meaning(document)
        let after = again.map(ScenarioTarget.meaning) ?? []
        let other = zip(before, after).first { $0 != $1 }
        try demand(
            before == after,
            "printed, it means another: \(other.map { "\($0.0)" } ?? "-"), then \(other.map { "\($0.1)" } ?? "-")"
        )
    }

    /// What a scenario says, without where it says it.
    private static func meaning(_ document: ScenarioDocument) -> [AnyHashable] {
        [
            document.name, document.description, document.seed, document.start, document.duration,
            document.drain, document.timeline,
        ]
            + document.populations.flatMap(members)
            + document.thresholds.map {
                "\($0.metric) \($0.expression) \($0.abortsOnFail) \($0.delayAbortEval)"
            }
    }

    /// The values that a value has, whichever they are; of those that cannot be held side by side, the words.
    private static func members(_ value: some Any) -> [AnyHashable] {
        Mirror(reflecting: value).children.map {
            ($0.value as? any Hashable).map { AnyHashable($0) } ?? AnyHashable(words("\($0.value)"))
        }
    }

    /// A description's words in order of their own: sets come in any.
    private static func words(_ description: String) -> String {
        description.split { " ,()[]".contains($0) }.sorted().joined(separator: " ")
    }
}
