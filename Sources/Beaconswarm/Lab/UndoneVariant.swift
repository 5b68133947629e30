import Reporting
import Scenario

/// A variant that comes to the scenario itself: whoever compares the two learns nothing.
enum UndoneVariant {
    /// Says so, and which options or variables decide where it was to change something.
    ///
    /// - Parameter overrides: Of the variant's scenario, in the order in which they apply.
    /// - Returns: `nil` where it changes a secret, which is masked: what it changes cannot be told.
    static func warning(_ name: String, _ overrides: [ScenarioOverride]) -> String? {
        let own = overrides.filter { $0.origin == "variant \(name)" }
        guard !own.contains(where: { $0.value.contains(Redactor.mask) }) else { return nil }
        let later = overrides.drop { $0.origin != "variant \(name)" }.filter {
            $0.origin != "variant \(name)"
        }
        var deciding: [String] = []
        for change in own {
            guard let last = later.last(where: { decides($0, of: change) }) else { continue }
            let text =
                ScenarioOverride.namesPath(last.origin)
                ? "\(last.origin) \(last.path)=\(last.value)" : last.origin
            if !deciding.contains(text) { deciding.append(text) }
        }
        let why =
            deciding.isEmpty
            ? "it changes nothing"
            : "\(deciding.joined(separator: " and ")) \(deciding.count == 1 ? "decides" : "decide")"
        return "variant \(name) is the same as \(VariantName.base): \(why)"
    }

    /// Whether what a variant changes is set again, with what it lies in or in what lies in it.
    private static func decides(_ override: ScenarioOverride, of change: ScenarioOverride) -> Bool {
        if override.path == "--devices" { return change.path.hasSuffix("/devices") }
        return override.path == change.path || override.path.hasPrefix("\(change.path)/")
            || change.path.hasPrefix("\(override.path)/")
    }
}

extension LabRunner {
    /// Warns of variants that an option or a variable undoes, before anything is played.
    func warnOfUndoneVariants(in report: LabReport) throws(CommandFailure) {
        // Of one variant alone nothing else is known, and nothing is compared.
        guard variants.contains(VariantName.base) else { return }
        for variant in report.variants where variant.name != VariantName.base && variant.changes.isEmpty {
            let document = try scenario(of: Cell(variant: variant.name, seed: base.document.seed)).document
            if let text = UndoneVariant.warning(variant.name, document.overrides) { console.warn(text) }
        }
    }
}
