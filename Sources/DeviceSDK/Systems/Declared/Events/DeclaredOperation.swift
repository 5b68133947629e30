import SDKDescription
import Wire

/// A step in writing a template, while it is compiled.
enum DeclaredOperation: Hashable {
    case bytes([UInt8])
    /// A value in text, without quotes.
    case slot(Placeholder.Source, DeclaredSlotForm)
    /// What is the same for all events of a device's state: rendered once, and then copied.
    case chunk(Int)
    /// A comma, unless an object has just begun.
    case comma
    /// Goes on after so many steps where a value is absent.
    case skipIfAbsent(Placeholder.Source, count: Int)
    case skip(count: Int)
    /// What the app's code hands over, as members: which of the template's uses.
    case properties(Int)
    case harnessID
    /// What is written until the matching end becomes a text.
    case beginText
    case endText(Template.Encoding)
}

/// How a value is written.
struct DeclaredSlotForm: Hashable, Sendable {
    enum Time: UInt8, Sendable { case iso, milliseconds, seconds, microseconds, nanoseconds }
    enum Letters: UInt8, CaseIterable, Sendable {
        case own, upper, lower

        /// A text in these letters.
        func applied(to text: String) -> String {
            switch self {
            case .own: text
            case .upper: text.uppercased()
            case .lower: text.lowercased()
            }
        }
    }

    var time = Time.milliseconds
    var letters = Letters.own

    init(_ filters: [Placeholder.Filter] = []) {
        for filter in filters {
            switch filter {
            case .iso: time = .iso
            case .ms: time = .milliseconds
            case .s: time = .seconds
            case .us: time = .microseconds
            case .ns: time = .nanoseconds
            case .upper: letters = .upper
            case .lower: letters = .lower
            case .text, .names, .gzip, .base64, .javaHash: break
            }
        }
    }
}

/// Steps that write something, and whether that is the same for all events of a device's state.
struct DeclaredSteps {
    var operations: [DeclaredOperation] = []
    var isStable = true
    /// Whether it stands for a body's events.
    var holdsEvents = false
}

/// What a body, or a text in it, has around its events or around a text that holds them.
struct DeclaredBodyPart {
    /// How the part becomes a text; `nil` for the body itself.
    var encoding: Template.Encoding?
    var before: [DeclaredOperation]
    var after: [DeclaredOperation]
}

extension Placeholder.Source {
    /// Whether all events of a device's state, in one request, have the same value.
    var isStable: Bool { scope != .event && scope != .batch }
}

extension Placeholder.Source {
    /// Whether its digits begin as they did last, and go on as if by chance.
    var isCounted: Bool {
        switch self {
        case .time, .sent, .sealed, .row, .sessionEventIndex: true
        default: false
        }
    }
}

/// A step as it is laid out for writing: plain values, so that taking one counts no reference.
struct DeclaredStep {
    enum Kind: UInt8 {
        case bytes, slot, chunk, comma, skipIfAbsent, skip, properties, harnessID, beginText, endJSON,
            endBase64
    }

    var kind: Kind
    var source = Placeholder.Source.name
    var form = DeclaredSlotForm()
    /// How many steps are skipped; which chunk or which properties it is.
    var number: Int32 = 0
    var bytes = DeclaredBytes()
    /// Where it was written last; `nil` for what no compressor is told of.
    var occurrence: UnsafeMutablePointer<LastOccurrence>?
}

/// Steps in a row, with the most bytes that they write.
struct DeclaredRun {
    var steps: UnsafePointer<DeclaredStep>
    var count: Int
    var limit: Int
}

/// What is rendered once for a device's state, and where it lies then.
struct DeclaredChunk {
    var run: DeclaredRun
    /// Memory for as many bytes as it can take.
    var memory: UnsafeMutableRawPointer
    /// Where it was written last.
    var occurrence: UnsafeMutablePointer<LastOccurrence>
    var count = 0
    /// The state that it was rendered for.
    var state: UInt64 = 0
}
