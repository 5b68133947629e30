/// Spreads a number of devices over populations.
enum DeviceScaling {
    /// Scales populations to a total by the largest remainder: each gets the whole part of its
    /// share, and what is left goes to the largest fractions, ties to the earlier. None gets less
    /// than 1; what that takes comes from the largest, ties from the later.
    ///
    /// - Precondition: no count is below 1, and the total is at least their number.
    /// - Complexity: O(n²) for n populations.
    static func scale(_ counts: [Int], to total: Int) -> [Int] {
        precondition(total >= counts.count && counts.allSatisfy { $0 > 0 })
        let sum = counts.reduce(0, +)
        let shares = counts.map { count -> (quotient: Int, remainder: Int) in
            let product = count.multipliedFullWidth(by: total)
            return sum.dividingFullWidth(product)
        }
        var result = shares.map(\.quotient)
        let order = counts.indices.sorted {
            (shares[$1].remainder, $0) < (shares[$0].remainder, $1)
        }
        for index in order.prefix(total - result.reduce(0, +)) { result[index] += 1 }
        for index in result.indices where result[index] == 0 {
            let largest = result.indices.max { (result[$0], $0) < (result[$1], $1) }
            if let largest { result[largest] -= 1 }
            result[index] = 1
        }
        return result
    }
}
