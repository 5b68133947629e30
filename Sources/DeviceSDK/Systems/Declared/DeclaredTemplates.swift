import Accounting
import AppModel
import DeviceSDK
import SDKDescription

/// What a described SDK captures of an app; ``EventRecord/template`` indexes it. First the app's business events in the
/// order of the ``AppDescription``, then its changes of profiles and of items, then the other actions.
///
/// What a record's fields mean:
/// - `screen`: the screen on top, `UInt16.max` for none.
/// - `control`: the screen before that one, `UInt16.max` for none; of a tap the control.
/// - `detail`: of business events, profiles and items the entity; of a tap the screen before, counted from 1, 0 for none.
struct DeclaredTemplates: Sendable {
    /// A kind of event.
    struct Kind: Sendable {
        var action: DescribedSDK.Action
        /// The app's own name of a business event.
        var event = ""
        var properties: [PropertyRule] = []
        /// Whether the app's code sends the event before once more, with its values.
        var isRepeated = false
        /// `nil` for what is not captured.
        var template: DescribedSDK.EventTemplate?
        /// The name as it is sent.
        var name = ""
    }

    let kinds: [Kind]
    let labels: [EventLabel]
    private let profilesFrom: Int
    private let itemsFrom: Int
    private let actionsFrom: Int
    private let isCaptured: [Bool]
    /// By the index of an action, what comes before it, and after it.
    private let before: [[DescribedSDK.Action]]
    private let after: [[DescribedSDK.Action]]
    private let isAlone: [Bool]

    private static let others = DescribedSDK.Action.allCases.filter { $0.index != nil }
        .sorted { ($0.index ?? 0) < ($1.index ?? 0) }

    /// - Parameter texts: What is the same for the whole population, which events may be called by.
    init(app: AppDescription, events: DescribedSDK.Events, texts: DeclaredPopulationTexts) {
        var kinds = app.events.map { event in
            Kind(
                action: .business, event: event.name, properties: event.properties,
                isRepeated: event.variant?.repeats ?? false)
        }
        profilesFrom = kinds.count
        kinds += app.profiles.map { Kind(action: $0.operation.action, properties: $0.properties) }
        itemsFrom = kinds.count
        kinds += app.items.map { Kind(action: .item, properties: $0.properties) }
        actionsFrom = kinds.count
        kinds += Self.others.map { Kind(action: $0) }
        self.kinds = kinds.map { kind in
            var kind = kind
            guard let own = events.actions[kind.action], !own.isOff else { return kind }
            kind.template = own.bound(toEvent: kind.event, with: kind.properties.map(\.key))
            kind.name = kind.template?.name.filled(texts).constantText ?? kind.event
            return kind
        }
        labels = self.kinds.map { kind in
            let name = kind.name.isEmpty ? kind.action.rawValue : kind.name
            let isRenamed = kind.action == .business && kind.template != nil && name != kind.event
            return EventLabel(type: "event", name: name, event: isRenamed ? kind.event : nil)
        }
        isCaptured = self.kinds.map { $0.template != nil }
        before = Self.others.map { events.actions[$0]?.before ?? [] }
        after = Self.others.map { events.actions[$0]?.after ?? [] }
        isAlone = zip(before, after).map { $0.isEmpty && $1.isEmpty }
    }

    func business(_ event: UInt16) -> UInt16 { event }
    func profile(_ update: UInt16) -> UInt16 { UInt16(profilesFrom) + update }
    func item(_ update: UInt16) -> UInt16 { UInt16(itemsFrom) + update }

    /// The template of an action without properties of the app's.
    func action(_ action: DescribedSDK.Action) -> UInt16 {
        UInt16(actionsFrom + (action.index ?? 0))
    }

    /// Whether nothing else is captured along with an action.
    func isAlone(_ action: DescribedSDK.Action) -> Bool { action.index.map { isAlone[$0] } ?? true }

    /// What is captured before an action.
    func before(_ action: DescribedSDK.Action) -> [DescribedSDK.Action] {
        action.index.map { before[$0] } ?? []
    }

    /// What is captured after an action.
    func after(_ action: DescribedSDK.Action) -> [DescribedSDK.Action] {
        action.index.map { after[$0] } ?? []
    }

    func isCaptured(_ template: UInt16) -> Bool { isCaptured[Int(template)] }
}

extension DescribedSDK.Action {
    /// Its index among the actions without properties of the app's; `nil` for the others.
    fileprivate var index: Int? {
        switch self {
        case .install: 0
        case .update: 1
        case .launch: 2
        case .passiveLaunch: 3
        case .foreground: 4
        case .background: 5
        case .crash: 6
        case .screen: 7
        case .screenEnd: 8
        case .disappear: 9
        case .tap: 10
        case .login: 11
        case .logout: 12
        case .sessionStart: 13
        case .sessionEnd: 14
        case .optIn: 15
        case .optOut: 16
        case .reopen: 17
        case .business, .profileSet, .profileSetOnce, .profileUnset, .profileIncrement, .profileAppend,
            .profileDelete, .item:
            nil
        }
    }
}

extension DescribedSDK.EventTemplate {
    /// The event of one of the app's own.
    ///
    /// - Parameter names: Those of what the app hands over.
    fileprivate func bound(
        toEvent name: String, with names: [String]
    ) -> DescribedSDK.EventTemplate {
        func replaced(_ template: Template) -> Template {
            template.replacing { placeholder in
                switch placeholder.source {
                case .event: placeholder.applied(to: name)
                case .properties where placeholder.filters == [.names]:
                    .list(names.map { .constant($0) })
                default: nil
                }
            }
        }
        var bound = self
        bound.name = replaced(self.name)
        bound.properties = replaced(properties)
        bound.envelope = replaced(envelope)
        return bound
    }
}

extension ProfileUpdate.Operation {
    fileprivate var action: DescribedSDK.Action {
        switch self {
        case .set: .profileSet
        case .setOnce: .profileSetOnce
        case .unset: .profileUnset
        case .increment: .profileIncrement
        case .append: .profileAppend
        case .delete: .profileDelete
        }
    }
}
