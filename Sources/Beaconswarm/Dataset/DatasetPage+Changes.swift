import Scenario
import Wire

extension DatasetPage {
    /// What options and the environment changed in the scenario, as it can be typed: each once.
    ///
    /// - Parameter overrides: What reports say of it: where it came from, and what it changed.
    static func typed(_ overrides: [String]) -> [String] {
        var texts: [String] = []
        for text in overrides.map(typedText) where !texts.contains(text) { texts.append(text) }
        return texts
    }

    /// `--duration 1d` of `--duration /duration="1d"`.
    private static func typedText(_ override: String) -> String {
        guard let gap = override.firstRange(of: " /") ?? override.firstRange(of: " --") else {
            return override
        }
        let origin = String(override[..<gap.lowerBound])
        let assignment = String(override[gap.lowerBound...].dropFirst())
        let variant = "variant "
        if origin.hasPrefix(variant) { return "--variant \(quoted(String(origin.dropFirst(variant.count))))" }
        guard let equals = assignment.firstIndex(of: "=") else { return override }
        let value =
            ScenarioOverride.namesPath(origin)
            ? assignment : plain(String(assignment[equals...].dropFirst()))
        return "\(origin)\(origin.hasPrefix("--") ? " " : "=")\(quoted(value))"
    }

    /// A text without the quotes of JSON.
    private static func plain(_ value: String) -> String {
        (try? JSONReader.readStrictly(Array(value.utf8)))?.string ?? value
    }
}
