import AppModel
import CollectorModel
import Datasets
import DeviceSDK
import Wire

extension EventField {
    /// What the columns of an app's own properties begin with.
    static let propertyPrefix = "prop_"

    /// The fields of a population's events: those of the system, and the properties of the app's own events.
    static func fields(of plan: PopulationPlan) -> [EventField] {
        guard let system = CollectorSystem(rawValue: plan.system.systemName) else { return [] }
        let events = system.eventShape
        return events.members(of: plan.system.versionName).map { EventField($0) }
            + properties(of: plan, events)
    }

    /// The properties of an app's events, profiles and items that the system has a place for.
    private static func properties(of plan: PopulationPlan, _ events: EventShape) -> [EventField] {
        guard plan.system.tracksCode, let group = events.propertyGroup else { return [] }
        var keys: [ExactText] = []
        var types: [ExactText: ColumnType] = [:]
        for rule in properties(of: plan, events.carried) {
            let key = ExactText(rule.key)
            let type = rule.generator.columnType(in: plan.app)
            if let known = types[key] {
                types[key] = known.widened(by: type)
            } else {
                keys.append(key)
                types[key] = type
            }
        }
        return keys.map { key in
            EventField(
                "\(group).\(key.text)", column(ofProperty: key.text), types[key] ?? .string,
                "the app's property \(key.text)")
        }
    }

    /// What calls of the app's code reach the SDK with: TrackingSDK has only events, without what is registered for
    /// all of them, and GrowingIO's users have attributes that are set and no others. Where events do not carry what is
    /// registered, the SDK asks the app for nothing at an event either.
    private static func properties(
        of plan: PopulationPlan, _ carried: EventShape.CarriedProperties
    ) -> [PropertyRule] {
        let app = plan.app
        var registered = app.superProperties.flatMap(\.properties)
        let events = app.events.filter { $0.variant == nil }
        if plan.system.sendsSuperProperties { registered += app.dynamicSuperProperties }
        switch carried {
        case .ofEvents: return events.filter { !$0.isWeb }.flatMap(\.properties)
        case .settable:
            let set = app.profiles.filter { $0.operation == .set || $0.operation == .setOnce }
            return registered + events.flatMap(\.properties) + set.flatMap(\.properties)
        case .all:
            return registered + events.flatMap(\.properties) + app.profiles.flatMap(\.properties)
                + app.items.flatMap(\.properties)
        }
    }

    /// The column of an app's own property.
    package static func column(ofProperty key: String) -> String { propertyPrefix + columnName(key) }

    /// A name that needs no quotes in SQL.
    private static func columnName(_ key: String) -> String {
        String(
            key.unicodeScalars.map { scalar in
                let isPlain =
                    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isPlain ? Character(scalar.properties.lowercaseMapping) : "_"
            })
    }

    /// Where an event's price is, if it has one: in the first of these that its own rules draw.
    static func price(of event: BusinessEvent) -> String? {
        let known = ["order_amount", "price", "amount", "pay_amount", "revenue", "total"]
        let key = known.first { key in event.properties.contains { $0.key == key } }
        return key.map { column(ofProperty: $0) }
    }
}

extension ColumnType {
    /// A type that has the values of both: doubles for numbers of either kind, else texts.
    func widened(by other: ColumnType) -> ColumnType {
        if self == other { return self }
        let numbers: Set<ColumnType> = [.int64, .double]
        return numbers.isSuperset(of: [self, other]) ? .double : .string
    }
}

extension PropertyGenerator {
    /// What its values are.
    fileprivate func columnType(in app: AppDescription) -> ColumnType {
        switch self {
        case .constant(let value): value.columnType
        case .choice(let values, _): PropertyValue.columnType(of: values)
        case .zipf(_, let prefix), .counter(let prefix): prefix == nil ? .int64 : .string
        case .number(_, let decimals): decimals == 0 ? .int64 : .double
        case .entity(let catalogue, let field):
            app.catalogues[Int(catalogue)].fields[Int(field)].generator.columnType(in: app)
        case .cycle(let cycle): PropertyValue.columnType(of: cycle.values)
        case .product(_, let decimals): decimals == 0 ? .int64 : .double
        case .reading(.batteryLevel): .int64
        case .reading(.isDarkMode), .reading(.isSignedIn): .bool
        case .entityID, .list, .date: .string
        }
    }
}

extension PropertyValue {
    fileprivate static func columnType(of values: [PropertyValue]) -> ColumnType {
        values.dropFirst().reduce(values.first?.columnType ?? .string) { $0.widened(by: $1.columnType) }
    }

    fileprivate var columnType: ColumnType {
        switch self {
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? .int64 : .double
        case .bool: .bool
        case .string, .list, .date, .null: .string
        }
    }
}
