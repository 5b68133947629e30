import DeviceSDK

/// An interceptor as a scenario writes it: which events it concerns, and what it does to them.
///
/// The published text's example 3.1 is ``copyTo``.
package struct GrowingInterceptorRule: Hashable, Sendable {
    /// The callback that it implements.
    package enum Callback: String, CaseIterable, Sendable {
        /// Before anything is built: no ids are taken yet.
        case eventTriggered
        /// Before the event is built; its sequence ids are taken already, so an event dropped here leaves
        /// a gap.
        case eventWillBuild
        case eventDidBuild
        /// When a channel's request is made.
        case requestWithChannel
    }

    package var name: String
    package var callback: Callback
    /// Types of events; empty for all.
    package var types: Set<String> = []
    /// Names of events (`eventName`); empty for all.
    package var eventNames: Set<String> = []
    /// Share of the events that it concerns, drawn by seed.
    package var share = 1.0
    /// Fields that it sets, such as `userId` or `attributes.env`.
    package var sets: [GrowingOwnEvent.Parameter] = []
    /// Fields that it takes out.
    package var removes: [String] = []
    /// Whether the event ends here.
    package var dropsEvent = false
    /// The name of the copy of the app's own that the event is written to; `nil` for none.
    package var copyTo: String?
    /// For ``Callback/requestWithChannel``: the template of the channels concerned, and the one to use.
    package var fromTemplate: String?
    package var toTemplate: String?

    package init(name: String, callback: Callback) {
        self.name = name
        self.callback = callback
    }
}
