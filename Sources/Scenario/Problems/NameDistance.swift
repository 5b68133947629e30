/// Finds the name that a user may have meant.
package enum NameDistance {
    /// The candidate nearest to a name, letter case aside; the first of equals. Where none is near, the shortest that
    /// begins with the name.
    ///
    /// - Returns: `nil` if even the nearest differs in more than a third of its letters, or in all of
    ///   the name's own, and none begins with it.
    /// - Complexity: O(candidates · length²).
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        guard name.count <= 100 else { return nil }
        let letters = Array(name.lowercased())
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased())
            let distance = distance(letters, other)
            let limit = max(1, (max(letters.count, other.count) + 1) / 3)
            guard distance <= limit, distance < letters.count, distance < best?.distance ?? .max else {
                continue
            }
            best = (candidate, distance)
        }
        return best?.name ?? longer(than: letters, among: candidates)
    }

    /// The shortest candidate that begins with at least three letters that were typed.
    private static func longer(than letters: [Character], among candidates: [String]) -> String? {
        guard letters.count >= 3 else { return nil }
        return candidates.filter { $0.lowercased().starts(with: letters) }.min { $0.count < $1.count }
    }

    /// The optimal string alignment distance: insertions, deletions, replacements and swaps of
    /// neighbours.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for i in 0..<left.count {
            var row = [i + 1]
            for j in 0..<right.count {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
