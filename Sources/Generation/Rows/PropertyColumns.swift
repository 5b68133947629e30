import AppModel
import DeviceSDK
import Wire

/// The columns of the apps' own properties in the table `events`: one for each name that a property has in any
/// population of the scenario, so that every thread and every part of a dataset has the same.
///
/// Queries name columns without quotes, and ClickHouse takes only ASCII so. A property's name is written in what all
/// take; where that is the same for several, numbers tell them apart.
package struct PropertyColumns: Sendable {
    /// What the columns begin with.
    private static let prefix = "prop_"
    /// Bytes of a column's name at most: PostgreSQL cuts what is longer, and would take two of one beginning for one.
    private static let limit = 63

    /// By the property's name.
    private let columns: [ExactText: String]

    /// - Parameter plans: All of the scenario.
    init(_ plans: [PopulationPlan]) {
        self.init(keys: plans.flatMap { EventField.propertyRules(of: $0) }.map(\.key))
    }

    /// - Parameter keys: Names of properties in the scenario's order; one may come more than once.
    init(keys: [String]) {
        var columns: [ExactText: String] = [:]
        var taken: Set<String> = []
        let plain = keys.map { (key: ExactText($0), column: PropertyColumns.name(of: $0)) }
        // A property that is called as its column keeps it, whichever others would be written the same.
        let own = plain.filter { $0.column.isExactly(PropertyColumns.prefix + $0.key.text) }
        for (key, name) in own + plain where columns[key] == nil {
            let column = PropertyColumns.free(name, taken)
            taken.insert(column)
            columns[key] = column
        }
        self.columns = columns
    }

    /// The column of a property; `nil` where no population's events have a place for it.
    package subscript(key: String) -> String? { columns[ExactText(key)] }

    /// A name that needs no quotes in SQL, within ``limit``.
    private static func name(of key: String) -> String {
        let plain = key.unicodeScalars.map { scalar -> Character in
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            return isPlain ? Character(scalar.properties.lowercaseMapping) : "_"
        }
        return String((prefix + String(plain)).prefix(limit))
    }

    /// The name itself, or with the first number from 2 on with which no other property has it.
    private static func free(_ name: String, _ taken: Set<String>) -> String {
        var column = name
        var number = 1
        while taken.contains(column) {
            number += 1
            let end = "_\(number)"
            column = "\(name.prefix(limit - end.count))\(end)"
        }
        return column
    }
}
