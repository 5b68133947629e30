import Wire

/// Scenarios as text, beside what they mean.
package enum ScenarioText {
    /// The same JSON in the project's own hand: two spaces a level, no comments, no trailing commas,
    /// the first of a repeated key.
    ///
    /// Writing what was written gives the same bytes, and a scenario means the same before and after.
    ///
    /// - Returns: `nil` if the text is no JSON.
    /// - Complexity: O(n), beside O(k²) for an object of k keys.
    package static func normalized(_ bytes: [UInt8]) -> [UInt8]? {
        guard let (node, _) = try? JSONReader.read(bytes) else { return nil }
        return Array((node.prettyText() + "\n").utf8)
    }
}
