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
    /// Of each variant that an option or a variable undoes, that there is nothing to be learned from it.
    ///
    /// - Parameter documents: The variants' scenarios, in the order of the report.
    func undoneWarnings(_ report: LabReport, _ documents: [ScenarioDocument]) -> [String] {
        // Of one variant alone nothing else is known, and nothing is compared.
        guard variants.contains(VariantName.base) else { return [] }
        return zip(report.variants, documents).compactMap { variant, document -> String? in
            guard variant.name != VariantName.base, variant.changes.isEmpty else { return nil }
            return UndoneVariant.warning(variant.name, document.overrides)
        }
    }
}
