import AppModel
import CollectorModel
import Datasets
import DeviceSDK
import Wire

extension EventField {
    /// The fields of a population's events: those of the system, and the properties of the app's own events.
    ///
    /// - Parameter columns: Of the properties of all populations.
    static func fields(of plan: PopulationPlan, _ columns: PropertyColumns) -> [EventField] {
        guard let events = eventShape(of: plan) else { return [] }
        return events.members(of: plan.system.versionName).map { EventField($0) }
            + properties(of: plan, columns)
    }

    private static func eventShape(of plan: PopulationPlan) -> EventShape? {
        CollectorSystem(rawValue: plan.system.systemName)?.eventShape
    }

    /// The properties of an app's events, profiles and items that the system has a place for, each once.
    private static func properties(of plan: PopulationPlan, _ columns: PropertyColumns) -> [EventField] {
        guard let group = eventShape(of: plan)?.propertyGroup else { return [] }
        var keys: [ExactText] = []
        var types: [ExactText: ColumnType] = [:]
        for rule in propertyRules(of: plan) {
            let key = ExactText(rule.key)
            let type = rule.generator.columnType(in: plan.app)
            if let known = types[key] {
                types[key] = known.widened(by: type)
            } else {
                keys.append(key)
                types[key] = type
            }
        }
        return keys.compactMap { key in
            guard let column = columns[key.text] else { return nil }
            return EventField(
                "\(group).\(key.text)", column, types[key] ?? .string, "the app's property \(key.text)")
        }
    }

    /// The rules of those properties; one name may have several.
    static func propertyRules(of plan: PopulationPlan) -> [PropertyRule] {
        guard plan.system.tracksCode, let events = eventShape(of: plan), events.propertyGroup != nil else {
            return []
        }
        return properties(of: plan, events.carried)
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

    /// The property that is an event's price, if it has one: the first of these that its own rules draw.
    static func price(of event: BusinessEvent) -> String? {
        let known = ["order_amount", "price", "amount", "pay_amount", "revenue", "total"]
        return known.first { key in event.properties.contains { $0.key == key } }
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
        // What is null is left out, as where a property is not there at all.
        let types = values.filter { $0 != .null }.map(\.columnType)
        return types.dropFirst().reduce(types.first ?? .string) { $0.widened(by: $1) }
    }

    fileprivate var columnType: ColumnType {
        switch self {
        case .number(let number): number == number.rounded() && abs(number) < 1e15 ? .int64 : .double
        case .bool: .bool
        case .string, .list, .date, .null: .string
        }
    }
}
