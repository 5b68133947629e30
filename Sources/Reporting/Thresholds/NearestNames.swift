/// Suggestions for names that do not exist.
enum NearestNames {
    /// At most three of `names` that a slip of the keyboard may have turned into `text`, nearest first.
    static func of(_ text: String, in names: [String]) -> [String] {
        let limit = max(2, text.count / 3)
        let ranked = names.map { (name: $0, distance: distance(text.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= limit || (text.count >= 4 && $0.name.contains(text)) }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        return ranked.prefix(3).map(\.name)
    }

    /// Levenshtein's distance.
    ///
    /// - Complexity: O(*nm*).
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let replaced = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j + 1] + 1, row[j] + 1)
            }
        }
        return row[right.count]
    }
}
