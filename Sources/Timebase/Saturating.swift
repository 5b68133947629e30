extension FixedWidthInteger {
    /// The sum, or the nearest number that the type has: for totals that nothing bounds, where a wrong last digit in
    /// half a million years is better than a run that ends.
    @inlinable
    package func adding(saturating other: Self) -> Self {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other < 0 ? .min : .max) : sum
    }

    /// The product of two numbers that are not negative, or the largest number that the type has.
    @inlinable
    package func multiplied(saturating other: Self) -> Self {
        let (product, isOver) = multipliedReportingOverflow(by: other)
        return isOver ? .max : product
    }
}
