import Timebase

extension PropertyGenerator {
    /// Whether it gives texts, numbers and switches that do not depend on an entity.
    package var isAlwaysValid: Bool {
        func isPlain(_ value: PropertyValue) -> Bool {
            switch value {
            case .string, .number, .bool: true
            case .list, .date, .null: false
            }
        }
        switch self {
        case .constant(let value): return isPlain(value)
        case .choice(let values, _): return values.allSatisfy(isPlain)
        case .zipf: return true
        case .number(let distribution, _): return distribution.mean.isFinite
        case .counter, .entity, .entityID, .cycle, .product, .list, .date, .reading: return false
        }
    }

    /// Whether it gives texts and numbers that do not depend on an event, none of them empty.
    package var isOfADevice: Bool {
        func isText(_ value: PropertyValue) -> Bool {
            switch value {
            case .string(let text): !text.isEmpty
            case .number: true
            case .bool, .list, .date, .null: false
            }
        }
        switch self {
        case .constant(let value): return isText(value)
        case .choice(let values, _): return values.allSatisfy(isText)
        case .zipf, .number: return true
        case .counter, .entity, .entityID, .cycle, .product, .list, .date, .reading: return false
        }
    }
}
