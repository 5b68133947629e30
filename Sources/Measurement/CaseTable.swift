/// A value for each case of an enum: an array whose index is the case.
struct CaseTable<Case: CaseIterable & RawRepresentable<UInt8>, Value> {
    private var values: [Value]

    init(repeating value: Value) {
        values = Array(repeating: value, count: Case.allCases.count)
    }

    /// Raw values count from 0, as those of every enum without numbers of its own do.
    subscript(key: Case) -> Value {
        get { values[Int(key.rawValue)] }
        _modify { yield &values[Int(key.rawValue)] }
    }

    /// Joins each value with the other table's of the same case.
    mutating func merge(_ other: CaseTable, _ join: (Value, Value) -> Value) {
        for index in values.indices { values[index] = join(values[index], other.values[index]) }
    }
}

extension CaseTable: Sendable where Value: Sendable {}
