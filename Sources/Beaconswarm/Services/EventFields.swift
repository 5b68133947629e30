import DeviceSDK
import GrowingSDK

/// An event's fields, as interceptors see and change them.
public struct EventFields: Sendable {
    /// What a field holds.
    public enum Value: Hashable, Sendable {
        /// Any text; JSON escapes what it has to.
        case text(String)
        /// A whole number.
        case integer(Int64)
        /// A number, sent in the shortest form that is read back as the same. JSON has no infinities and no NaN: they
        /// are sent as `null`. Messages of Protocol Buffers have them as they are, and attributes, which are texts, as
        /// `inf`, `-inf` and `nan`.
        case number(Double)
    }

    var builder: GrowingEventBuilder

    init(_ builder: GrowingEventBuilder) { self.builder = builder }

    /// What the interceptors learned before.
    public var event: TriggeredEvent { TriggeredEvent(builder.event) }

    /// Names of the fields in the order in which they are sent, attributes as `attributes.` and their key.
    public var names: [String] {
        builder.fields.map(\.name) + builder.attributes.map { "attributes.\($0.name)" }
    }

    /// A field's value by its name on the wire, an attribute's by `attributes.` and its key; `nil` if there is none.
    /// Setting `nil` removes the field. A new field is added after the others. Attributes are strings, so a number is
    /// converted to one.
    public subscript(name: String) -> Value? {
        get { builder[name].map(Value.init) }
        set { builder[name] = newValue?.own }
    }
}

extension EventFields.Value {
    fileprivate init(_ value: GrowingEventBuilder.Value) {
        switch value {
        case .text(let text): self = .text(text)
        case .integer(let number): self = .integer(number)
        case .number(let number): self = .number(number)
        }
    }

    fileprivate var own: GrowingEventBuilder.Value {
        switch self {
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        }
    }
}

extension TriggeredEvent {
    init(_ event: GrowingTriggeredEvent) { self.init(type: event.type, name: event.name, draw: event.draw) }
}

extension UploadChannel {
    init(_ channel: GrowingChannel) {
        self.init(types: channel.types, template: channel.template, isCustom: channel.isCustom)
    }
}
