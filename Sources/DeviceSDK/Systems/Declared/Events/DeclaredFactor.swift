import AppModel

/// An ``AppModel/EntityCycle`` of numbers, laid out for reading.
struct DeclaredFactor {
    private let values: UnsafePointer<Double>
    private let count: Int
    private let step: UInt32

    init(_ cycle: EntityCycle<Double>, _ arena: DeclaredArena) {
        values = UnsafePointer(arena.keep(table: cycle.values))
        count = cycle.values.count
        step = cycle.step
    }

    func value(of entity: UInt32) -> Double { values[Int(entity / step) % count] }
}
