import Datasets
import Reporting
import Scenario
import Wire

/// What makes a dataset what it is: the number of threads does not.
struct DatasetSettings {
    let all: [(name: String, value: String)]

    init(_ options: GenerateOptions, _ scenario: LoadedScenario, _ layout: DatasetLayout) {
        let (document, reference) = (scenario.document, scenario.reference)
        let changes = scenario.publicReference.typedOverrides
        let variant = document.variant.map { document.redact($0) }
        let rows = options.rows.map { String($0) }
        var settings: [(name: String, value: String)] = []
        settings.append(("version", Beaconswarm.version))
        settings.append(("the scenario's SHA-256", reference.sha256))
        settings.append(("what is changed in the scenario", changes.joined(separator: " ")))
        settings.append(("seed", String(document.seed)))
        settings.append(("the sum of its variables and files", document.sum))
        settings.append(("--variant", variant ?? ""))
        settings.append(("--format", layout.formats.map(\.description).joined(separator: ",")))
        settings.append(("--partition", options.partition))
        settings.append(("--zone", options.zone))
        settings.append(("--split", options.split ?? ""))
        settings.append(("--rows", rows ?? ""))
        settings.append(("--shard", options.shard ?? ""))
        settings.append(("--tag", options.tagsEvents ? "given" : ""))
        settings.append(("--raw", options.raw ? "given" : ""))
        all = settings
    }

    /// What unfinished datasets are told apart by.
    var identity: String {
        let texts = all.flatMap { [$0.name, $0.value] }
        return SHA256.hexadecimal(of: Array(texts.joined(separator: "\u{1F}").utf8))
    }
}

extension LoadedScenario {
    /// Which scenario it is, without secrets in what changed it.
    var publicReference: Report.ScenarioReference {
        var open = reference
        open.overrides = reference.overrides.map { document.redact($0) }
        return open
    }
}
