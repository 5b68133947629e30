/// Names of tables, for people.
enum TableWords {
    /// `the table a`, `the tables a, b`.
    static func list(_ names: [String]) -> String {
        switch names.count {
        case 0: "no table"
        case 1: "the table \(names[0])"
        default: "the tables \(names.joined(separator: ", "))"
        }
    }
}
