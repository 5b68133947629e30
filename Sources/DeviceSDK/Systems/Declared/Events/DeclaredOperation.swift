import SDKDescription

/// A step in writing a compiled template. Nothing in it is counted or allocated.
enum DeclaredOperation: Sendable {
    /// Constant bytes of the program.
    case bytes(start: Int32, count: Int32)
    /// A value in text, without quotes.
    case slot(Placeholder.Source, DeclaredSlotForm)
    /// What is the same for all events of a device's state: rendered once, and then copied.
    case chunk(Int32)
    /// A comma, unless an object has just begun.
    case comma
    /// Goes on after so many steps where a value is absent.
    case skipIfAbsent(Placeholder.Source, count: Int32)
    case skip(count: Int32)
    /// What the app's code hands over, as members.
    case properties(Int32)
    case harnessID
    /// What is written until the matching end becomes a text.
    case beginText
    case endText(Template.Encoding)
}

/// How a value is written.
struct DeclaredSlotForm: Hashable, Sendable {
    enum Time: UInt8, Sendable { case iso, milliseconds, seconds, microseconds, nanoseconds }
    enum Letters: UInt8, Sendable { case own, upper, lower }

    var time = Time.milliseconds
    var letters = Letters.own

    init(_ filters: [Placeholder.Filter]) {
        for filter in filters {
            switch filter {
            case .iso: time = .iso
            case .ms: time = .milliseconds
            case .s: time = .seconds
            case .us: time = .microseconds
            case .ns: time = .nanoseconds
            case .upper: letters = .upper
            case .lower: letters = .lower
            case .text: break
            }
        }
    }
}

/// Steps that write something, and whether that is the same for all events of a device's state.
struct DeclaredSteps: Sendable {
    var operations: [DeclaredOperation] = []
    var isStable = true
}

extension Placeholder.Source {
    /// Whether all events of a device's state, in one request, have the same value.
    var isStable: Bool { scope != .event && scope != .batch }
}
