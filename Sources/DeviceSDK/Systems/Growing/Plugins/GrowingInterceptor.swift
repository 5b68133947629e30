import DeviceSDK

/// Code of an app or a module that watches and changes events on their way (`GrowingEventInterceptor`).
///
/// The callbacks come in the order in which they stand here; among several interceptors the order is not
/// guaranteed, as the published text says: the SDK keeps them in a hash table of weak pointers, so it is
/// another in each process. Here it is drawn by seed, once per process.
///
/// An event's JSON is made anew for each request that carries it, so the callbacks on events are asked again
/// then: they must be pure functions of what they are handed.
package protocol GrowingInterceptor: Sendable {
    /// Whether any of the callbacks on events is implemented, which costs the making of each event's fields.
    var watchesEvents: Bool { get }
    /// `growingEventManagerChannels:`, once when the SDK is configured (3.x): may add channels.
    func channels(_ channels: inout [GrowingChannel])
    /// `growingEventManagerEventTriggered:`.
    func eventTriggered(_ event: GrowingTriggeredEvent) -> GrowingVerdict
    /// `growingEventManagerEventWillBuild:`. Ids are taken already.
    func eventWillBuild(_ builder: inout GrowingEventBuilder) -> GrowingVerdict
    /// `growingEventManagerEventDidBuild:`.
    func eventDidBuild(_ event: inout GrowingEventBuilder) -> GrowingVerdict
    /// `growingEventManagerRequestWithChannel:` (3.x): another template for a channel's request, or `nil`.
    /// The first interceptor that gives one has it.
    func requestTemplate(for channel: GrowingChannel) -> String?
}

extension GrowingInterceptor {
    package var watchesEvents: Bool { true }
    package func channels(_ channels: inout [GrowingChannel]) {}
    package func eventTriggered(_ event: GrowingTriggeredEvent) -> GrowingVerdict { .keep }
    package func eventWillBuild(_ builder: inout GrowingEventBuilder) -> GrowingVerdict { .keep }
    package func eventDidBuild(_ event: inout GrowingEventBuilder) -> GrowingVerdict { .keep }
    package func requestTemplate(for channel: GrowingChannel) -> String? { nil }
}

/// Whether an event goes on.
package enum GrowingVerdict: Hashable, Sendable {
    case keep
    /// The event ends here: suppressed, intercepted.
    case drop
}

/// What an interceptor is told before an event is built.
package struct GrowingTriggeredEvent: Hashable, Sendable {
    /// `eventType`.
    package var type: String
    /// `eventName`; empty for types without.
    package var name: String
    /// A number in [0, 1) that belongs to the event, for interceptors that concern a share.
    package var draw: Double

    package init(type: String, name: String, draw: Double = 0) {
        self.type = type
        self.name = name
        self.draw = draw
    }
}

/// An event's fields, as interceptors see and change them.
package struct GrowingEventBuilder: Hashable, Sendable {
    package let event: GrowingTriggeredEvent
    /// Fields in the order in which they are sent, without attributes.
    package private(set) var fields: [(name: String, value: Value)] = []
    /// `attributes`, in the order in which they are sent.
    package private(set) var attributes: [(name: String, value: String)] = []

    /// What a field holds.
    package enum Value: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case number(Double)
    }

    package init(_ event: GrowingTriggeredEvent) { self.event = event }

    /// A field's value; an attribute under `attributes.` and its key.
    package subscript(name: String) -> Value? {
        get {
            if let key = Self.attributeKey(name) {
                return attributes.first { $0.name == key }.map { .text($0.value) }
            }
            return fields.first { $0.name == name }?.value
        }
        set {
            if let key = Self.attributeKey(name) {
                setAttribute(key, newValue.map(Self.text))
            } else {
                setField(name, newValue)
            }
        }
    }

    private mutating func setField(_ name: String, _ value: Value?) {
        let index = fields.firstIndex { $0.name == name }
        switch (index, value) {
        case (let index?, let value?): fields[index].value = value
        case (let index?, nil): fields.remove(at: index)
        case (nil, let value?): fields.append((name, value))
        case (nil, nil): break
        }
    }

    private mutating func setAttribute(_ key: String, _ value: String?) {
        let index = attributes.firstIndex { $0.name == key }
        switch (index, value) {
        case (let index?, let value?): attributes[index].value = value
        case (let index?, nil): attributes.remove(at: index)
        case (nil, let value?): attributes.append((key, value))
        case (nil, nil): break
        }
    }

    private static func attributeKey(_ name: String) -> String? {
        name.hasPrefix("attributes.") ? String(name.dropFirst("attributes.".count)) : nil
    }

    /// Attributes are texts.
    private static func text(_ value: Value) -> String {
        switch value {
        case .text(let text): text
        case .integer(let number): String(number)
        case .number(let number): number.description
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.event == right.event && left.fields.elementsEqual(right.fields) { $0 == $1 }
            && left.attributes.elementsEqual(right.attributes) { $0 == $1 }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(event)
        for field in fields {
            hasher.combine(field.name)
            hasher.combine(field.value)
        }
        for attribute in attributes {
            hasher.combine(attribute.name)
            hasher.combine(attribute.value)
        }
    }
}

/// A module that the app adds (`GrowingModuleProtocol`): called when the SDK starts, it may add
/// interceptors and channels of its own.
package protocol GrowingModule: Sendable {
    /// `growingModInit:`.
    func initialize(_ context: inout GrowingContext)
}

/// What a module may do to the SDK when it is initialized.
package struct GrowingContext: Sendable {
    package let rules: GrowingRules
    package private(set) var interceptors: [any GrowingInterceptor] = []

    init(rules: GrowingRules) { self.rules = rules }

    /// `addInterceptor:`.
    package mutating func addInterceptor(_ interceptor: any GrowingInterceptor) {
        interceptors.append(interceptor)
    }
}
