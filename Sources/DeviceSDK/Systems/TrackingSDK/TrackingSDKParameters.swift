import AppModel
import DeviceSDK
import Timebase
import Wire

/// Parameters that the app hands to `trackEvent`, as JSON: what does not change is rendered beforehand.
///
/// A date becomes the number of seconds since 1970. `NSJSONSerialization` raises for an `NSDate` and the
/// app would crash at each event until the file is removed; apps that run have no dates in there.
struct TrackingSDKParameters: Sendable {
    private struct Parameter: Sendable {
        /// `"price":`.
        var key: [UInt8]
        /// Which of the event's streams it is drawn from.
        var draw: UInt64
        var generator: PropertyGenerator
        /// The JSON of a constant, or of a choice's alternatives.
        var rendered: [[UInt8]]
    }

    private let parameters: [Parameter]
    private let sampler: PropertySampler

    init(_ rules: [PropertyRule], sampler: PropertySampler) {
        parameters = zip(rules, rules.draws).map { rule, draw in
            var key = WireBuffer()
            key.appendJSONString(rule.key, slashes: .escaped)
            key.append(UInt8(ascii: ":"))
            return Parameter(
                key: key.bytes, draw: draw, generator: rule.generator,
                rendered: rule.generator.alternatives.map { value in
                    var json = WireBuffer()
                    json.appendParameter(value)
                    return json.bytes
                })
        }
        self.sampler = sampler
    }

    /// Appends the parameters as members.
    ///
    /// - Parameter stream: The event's own: the same values come out each time.
    func write(stream: RandomStream, context: PropertyContext, to out: inout WireBuffer) {
        for parameter in parameters {
            var own = stream.child(parameter.draw)
            out.appendJSONComma()
            out.append(contentsOf: parameter.key)
            write(parameter, stream: &own, context: context, to: &out)
        }
    }

    private func write(
        _ parameter: Parameter, stream: inout RandomStream, context: PropertyContext,
        to out: inout WireBuffer
    ) {
        guard parameter.rendered.isEmpty else {
            guard
                case .alternative(let index) = sampler.sample(
                    parameter.generator, stream: &stream, context: context)
            else { return }
            out.append(contentsOf: parameter.rendered[index])
            return
        }
        out.appendParameter(sampler.value(of: parameter.generator, stream: &stream, context: context))
    }
}

extension PropertyGenerator {
    /// The values of a constant, a choice or a cycle; none for other generators.
    fileprivate var alternatives: [PropertyValue] {
        switch self {
        case .constant(let value): [value]
        case .choice(let values, _): values
        case .cycle(let cycle): cycle.values
        default: []
        }
    }
}

extension WireBuffer {
    /// Appends a value as `NSJSONSerialization` writes it.
    fileprivate mutating func appendParameter(_ value: PropertyValue) {
        switch value {
        case .string(let text): appendJSONString(text, slashes: .escaped)
        case .number(let number): appendDecimal(number)
        case .bool(let bool): appendJSON(bool)
        case .date(let instant): appendSeconds(instant)
        case .null: append("null")
        case .list(let values):
            append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                appendParameter(value)
            }
            append(UInt8(ascii: "]"))
        }
    }

    /// Appends an instant as `timeIntervalSince1970`, in seconds with microseconds at most.
    mutating func appendSeconds(_ instant: Instant) {
        appendFixed(instant.nanoseconds / 1000, decimals: 6, trimmingZeros: true)
    }
}
