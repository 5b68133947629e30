package import Wire

extension DescribedSDK {
    /// What is captured, and how an event looks.
    package struct Events: Hashable, Sendable {
        /// How `{{id}}` looks.
        package var id = Identity.Kind.uuid
        /// The path of the harness's id in an event; `nil` for none: events are known by ``key``.
        package var tag: JSONPath?
        /// Paths whose values together name an event, where it carries no id of the harness.
        package var key: [JSONPath] = []
        /// By action. What is missing is not captured.
        package var actions: [Action: EventTemplate] = [:]
        /// What is captured when the app comes to the foreground for the first time after a start in the background, in
        /// place of ``Action/reopen`` and ``Action/foreground``.
        package var firstForeground = Action.returns

        package init() {}
    }

    /// What a user, the app or the system does that an SDK may capture.
    package enum Action: String, CaseIterable, Hashable, Sendable {
        case install, update, launch, passiveLaunch, reopen, foreground, background, crash
        case screen, screenEnd, disappear, tap, business, login, logout
        case sessionStart, sessionEnd, optIn, optOut
        case profileSet = "profile.set"
        case profileSetOnce = "profile.setOnce"
        case profileUnset = "profile.unset"
        case profileIncrement = "profile.increment"
        case profileAppend = "profile.append"
        case profileDelete = "profile.delete"
        case item

        /// What is captured when the app comes back.
        package static let returns = [Action.reopen, .foreground]

        /// Whether the app's code hands over properties with it: `{{properties}}` in its own.
        package var hasProperties: Bool {
            switch self {
            case .business, .profileSet, .profileSetOnce, .profileUnset, .profileIncrement, .profileAppend,
                .profileDelete, .item:
                true
            default: false
            }
        }
    }

    /// An event as it is sent.
    package struct EventTemplate: Hashable, Sendable {
        /// What `{{name}}` is: text, with `{{event}}` for the app's own name of a business event.
        package var name: Template
        /// What `{{properties}}` is.
        package var properties: Template
        /// The whole event.
        package var envelope: Template
        /// The lane that it takes: 0 for the main one, else the index in ``DescribedSDK/lanes`` and one.
        package var lane = 0
        /// The path of the harness's id, where it is another than in other events.
        package var tag: JSONPath?
        /// Whether it is not captured unless a scenario turns it on.
        package var isOff = false
        /// Actions that are captured before it.
        package var before: [Action] = []
        /// Actions that are captured after it.
        package var after: [Action] = []

        package init(name: Template, properties: Template, envelope: Template) {
            self.name = name
            self.properties = properties
            self.envelope = envelope
        }
    }
}
