/// An app's own code that observes and changes GrowingIO's events (`GrowingEventInterceptor`). Each callback has a default
/// that changes nothing.
///
/// The callbacks are called in the order of their declaration. Among several interceptors, the order is drawn again for
/// each process of a device, because the SDK keeps them in a hash table. One value serves all devices of a population, on
/// several threads at once.
///
/// An event's body is built again for each request that carries it, and the callbacks are called again each time. They
/// must be pure functions of their arguments; otherwise a run is not repeatable, and an event may change between attempts.
public protocol EventInterceptor: Sendable {
    /// `growingEventManagerChannels:`, once when the SDK starts (3.2.1 and the published text): may add, change or remove
    /// channels.
    func channels(_ channels: inout [UploadChannel])
    /// `growingEventManagerEventTriggered:`: before anything is built; an event dropped here has no sequence id.
    func eventTriggered(_ event: TriggeredEvent) -> InterceptorVerdict
    /// `growingEventManagerEventWillBuild:`: ids are taken already, so an event dropped here leaves a gap in them.
    func eventWillBuild(_ event: inout EventFields) -> InterceptorVerdict
    /// `growingEventManagerEventDidBuild:`: the last look at an event before it is stored.
    func eventDidBuild(_ event: inout EventFields) -> InterceptorVerdict
    /// `growingEventManagerRequestWithChannel:` (3.2.1 and the published text): another template for the path of a
    /// channel's request, or `nil`. The first interceptor that returns one wins.
    func requestTemplate(for channel: UploadChannel) -> String?
}

extension EventInterceptor {
    /// Leaves the channels as they are.
    public func channels(_ channels: inout [UploadChannel]) {}
    /// Keeps the event.
    public func eventTriggered(_ event: TriggeredEvent) -> InterceptorVerdict { .keep }
    /// Keeps the event as it is.
    public func eventWillBuild(_ event: inout EventFields) -> InterceptorVerdict { .keep }
    /// Keeps the event as it is.
    public func eventDidBuild(_ event: inout EventFields) -> InterceptorVerdict { .keep }
    /// Leaves the channel's own.
    public func requestTemplate(for channel: UploadChannel) -> String? { nil }
}

/// Whether an event is processed further.
public enum InterceptorVerdict: Hashable, Sendable {
    /// It is.
    case keep
    /// It ends here: suppressed, cause `intercepted`.
    case drop
}

/// What an interceptor learns before an event is built.
public struct TriggeredEvent: Hashable, Sendable {
    /// `eventType`, such as `CUSTOM`.
    public var type: String
    /// `eventName`; empty for types without.
    public var name: String
    /// A number in [0, 1) that belongs to the event and is derived from the scenario's seed, for interceptors that apply
    /// to a share of the events.
    public var draw: Double

    /// Describes an event.
    public init(type: String, name: String = "", draw: Double = 0) {
        self.type = type
        self.name = name
        self.draw = draw
    }
}

/// A set of event types that share an upload stream (`GrowingEventChannel`).
public struct UploadChannel: Hashable, Sendable {
    /// Types of events; empty for all types that no other channel sends.
    public var types: [String]
    /// Path below the server's address; `%@` stands for the account. The published text sends there; 3.2.1 logs it, and
    /// sends to `v3/projects/%@/collect` (``EventInterceptor/requestTemplate(for:)`` moves requests in both).
    public var template: String
    /// Whether the channel's events go to the realtime store (`isCustomEvent`), which is written at once.
    public var isCustom: Bool

    /// Describes a channel.
    public init(types: [String], template: String, isCustom: Bool = false) {
        self.types = types
        self.template = template
        self.isCustom = isCustom
    }
}
