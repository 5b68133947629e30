import Snapshots

/// A value for each case of an enum: an array whose index is the case, kept in place.
struct CaseTable<Case: CaseIterable & RawRepresentable<UInt8>, Value> {
    /// Places beyond the last case are never looked at.
    private var values: InlineArray<16, Value>

    /// - Precondition: the enum has 16 cases at most.
    init(repeating value: Value) {
        precondition(Case.allCases.count <= 16, "more cases than places")
        values = InlineArray(repeating: value)
    }

    /// Raw values count from 0, as those of every enum without numbers of its own do.
    subscript(key: Case) -> Value {
        get { values[Int(key.rawValue)] }
        _modify { yield &values[Int(key.rawValue)] }
    }

    /// Joins each value with the other table's of the same case.
    mutating func merge(_ other: CaseTable, _ join: (inout Value, Value) -> Void) {
        for key in Case.allCases { join(&self[key], other[key]) }
    }
}

extension CaseTable: Sendable where Value: Sendable {}

extension CaseTable: Snapshotable where Value: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        for key in Case.allCases { self[key].write(to: &writer) }
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        // A value of any kind to begin with: each is read over.
        let cases = Array(Case.allCases)
        guard let first = cases.first else { throw reader.impossible }
        let value: Value = try reader.value()
        self.init(repeating: value)
        self[first] = value
        for key in cases.dropFirst() { self[key] = try reader.value() }
    }
}
