import Rendering
import Wire

extension Report.ScenarioReference {
    /// What options and the environment changed in the scenario, as it can be typed: each once.
    package var typedOverrides: [String] {
        var texts: [String] = []
        for text in overrides.map(Self.typed) where !texts.contains(text) { texts.append(text) }
        return texts
    }

    /// `--duration 1d` of `--duration /duration="1d"`. What was changed by a program that embeds this one, and what nobody
    /// knows how to type, is left as it is.
    private static func typed(_ override: String) -> String {
        guard let gap = override.firstRange(of: " /") ?? override.firstRange(of: " --") else {
            return override
        }
        let origin = String(override[..<gap.lowerBound])
        let assignment = String(override[gap.lowerBound...].dropFirst())
        let variant = "variant "
        if origin.hasPrefix(variant) {
            return "--variant \(Escaping.shell(String(origin.dropFirst(variant.count))))"
        }
        guard origin != "code", let equals = assignment.firstIndex(of: "=") else { return override }
        // A switch, which has no value.
        if origin == "--insecure" { return origin }
        let namesPath = ["--set", "--vary", "BEACONSWARM_SET"].contains(origin)
        let value = namesPath ? assignment : plain(String(assignment[equals...].dropFirst()))
        return "\(origin)\(origin.hasPrefix("--") ? " " : "=")\(Escaping.shell(value))"
    }

    /// A text without the quotes of JSON.
    private static func plain(_ value: String) -> String {
        (try? JSONReader.readStrictly(Array(value.utf8)))?.string ?? value
    }
}
