package import Wire

/// The JSON Schema (2020-12) of the scenario format, made from the same descriptions that decode it.
package enum ScenarioSchema {
    /// The schema as text: pretty-printed, ending in a line break, the same each time.
    ///
    /// Where `${NAME}` may stand for a text, patterns let it pass; a name of a closed set or a number
    /// cannot be written so in an editor that checks, though the loader takes `${NAME}` for any text.
    package static var text: String { node.prettyText() + "\n" }

    package static var node: JSONNode {
        var definitions = SchemaDefinitions()
        var members: [(String, JSONNode)] = [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("Beaconswarm scenario")),
        ]
        let root = ScenarioDraft.format.schema(&definitions)
        members += (root.members ?? []).map { ($0.key, $0.value) }
        let entries = definitions.entries.sorted { $0.name < $1.name }
        members.append(("$defs", .object(entries.map { ($0.name, $0.schema) })))
        return .object(members)
    }
}
