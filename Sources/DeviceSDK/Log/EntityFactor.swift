package import AppModel

/// An ``AppModel/EntityCycle`` of numbers, laid out for reading; the numbers are in an arena.
package struct EntityFactor {
    private let values: UnsafePointer<Double>
    private let count: Int
    private let step: UInt32

    /// - Parameter values: Those of the cycle, for as long as this is used.
    package init(_ cycle: EntityCycle<Double>, values: UnsafePointer<Double>) {
        self.values = values
        count = cycle.values.count
        step = cycle.step
    }

    package func value(of entity: UInt32) -> Double { values[Int(entity / step) % count] }
}
