import Wire

/// A variant as decoded: a place for each of its paths, in the order of the file.
typealias VariantDraft = [Named<Place>]

/// The names of variants.
package enum VariantName {
    /// The scenario itself.
    package static let base = "base"
}

extension ScenarioDocument {
    /// The names of what is played where nothing but a variant's name is asked for: that one, or the scenario itself
    /// and all its variants.
    ///
    /// - Parameter chosen: What is asked for by an option; what is asked for by a variable the document knows.
    package func playedVariants(chosen: String?) -> [String] {
        chosen == nil && variant == nil
            ? [VariantName.base] + variants
            : [variant ?? VariantName.base]
    }
}

/// `"variants"`: by name, an object of `--set` paths and JSON values.
enum VariantFormat {
    /// Each is a whole simulation, for each seed.
    static let limit = 100
    private static let namePattern = "^(?!base$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$(?!\\n)"

    static let form: Form<[Named<VariantDraft>]> = {
        let value = Form<Place>(decode: { place, _ in place }, schema: { _ in .object([]) })
        let values = Form<VariantDraft>.map(of: value, count: 1...1000)
        var form = Form<[Named<VariantDraft>]>.map(of: values, count: 0...limit)
        let decode = form.decode
        form.decode = { place, reading in
            let variants = decode(place, &reading)
            for variant in variants ?? [] { check(variant, &reading) }
            return variants
        }
        form.schema = { definitions in
            .object([
                ("type", .text("object")),
                ("patternProperties", .object([(namePattern, values.schema(&definitions))])),
                ("additionalProperties", .bool(false)), ("maxProperties", .int(limit)),
            ])
        }
        return form
    }()

    /// Whether a path leads to what variants may differ in.
    static func mayChange(_ path: JSONPath) -> Bool {
        !["seed", "variants", "$schema"].contains(path.tokens.first ?? "")
    }

    private static func check(_ variant: Named<VariantDraft>, _ reading: inout Reading) {
        var name = variant.place
        name.node = JSONNode(.string(variant.name), position: variant.place.node.position)
        if variant.name == VariantName.base {
            reading.report(
                .conflict, name, allowed: "another name: \"base\" is the scenario without any variant")
        } else {
            _ = ScenarioDraft.fileIdentifier.decode(name, &reading)
        }
        for assignment in variant.value { check(assignment, &reading) }
    }

    /// Paths that name a place are tried on the scenario itself; here is what no place can be.
    private static func check(_ assignment: Named<Place>, _ reading: inout Reading) {
        guard let path = JSONPath(text: assignment.name) else {
            return reading.report(
                .badOverride, assignment.place, found: "\"\(assignment.name)\"",
                allowed: "a path, dotted or a JSON pointer")
        }
        // All variants are played on the same seeds, and each is a change of the scenario itself.
        guard !mayChange(path) else { return }
        reading.report(
            .conflict, assignment.place, found: "the path \"\(assignment.name)\"",
            allowed:
                "a change of anything but \"$schema\", \"seed\" and \"variants\", which all variants share")
    }
}
