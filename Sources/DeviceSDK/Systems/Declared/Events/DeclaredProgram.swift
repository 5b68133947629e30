import AppModel
import DeviceSDK
import SDKDescription
import Wire

/// Everything that is written of a population's events, compiled once.
struct DeclaredProgram: Sendable {
    let constants: [UInt8]
    let operations: ContiguousArray<DeclaredOperation>
    let chunks: ContiguousArray<Range<Int>>
    /// By template; empty for what is not captured.
    let events: [Range<Int>]
    /// By template, the parts of the natural key.
    let keys: [[Range<Int>]]
    let bodyStart: Range<Int>
    let bodyEnd: Range<Int>
    /// The bodies of fetches, by configuration; `nil` for one without.
    let fetches: [Range<Int>?]
    /// What lies between the two.
    let framing: DescribedSDK.Request.Framing
    /// By use of `{{properties}}`.
    let properties: [DeclaredProperties]
    let repeats: [Bool]
    let screens: DeclaredScreens
    let versions: [[UInt8]]
    /// What the population's own placeholders stand for, escaped.
    let population: DeclaredPopulationTexts

    init(plan: PopulationPlan, sdk: DescribedSDK, templates: DeclaredTemplates) {
        var compiler = DeclaredCompiler()
        var events: [Range<Int>] = []
        var keys: [[Range<Int>]] = []
        var properties: [DeclaredProperties] = []
        let sampler = PropertySampler(app: plan.app)
        for kind in templates.kinds {
            guard let template = kind.template else {
                events.append(0..<0)
                keys.append([])
                continue
            }
            events.append(compiler.compile(Self.event(template, sdk, isTagged: plan.tagsEvents)))
            keys.append(
                sdk.events.key.map { key in
                    compiler.compile(template.envelope.value(at: key) ?? .null)
                })
            for excluded in compiler.excludedNames[properties.count...] {
                properties.append(
                    DeclaredProperties(kind.properties, without: excluded, sampler: sampler))
            }
        }
        (bodyStart, bodyEnd) = compiler.compile(body: sdk.request.body)
        fetches = sdk.configs.map { config in config.body.map { compiler.compile($0) } }
        framing = sdk.request.framing
        self.events = events
        self.keys = keys
        self.properties = properties
        constants = compiler.constants.bytes
        operations = compiler.operations
        chunks = compiler.chunks
        repeats = templates.kinds.map(\.isRepeated)
        screens = DeclaredScreens(plan.app)
        versions = plan.app.versions.map(Self.escaped)
        population = DeclaredPopulationTexts(plan)
    }

    /// An event with the harness's id, and with what it gets when it is sent.
    private static func event(
        _ template: DescribedSDK.EventTemplate, _ sdk: DescribedSDK, isTagged: Bool
    ) -> Template {
        var event = template.envelope
        if isTagged, let tag = sdk.events.tag {
            event = event.inserting(.value(Placeholder(.harnessID)), at: tag) ?? event
        }
        guard case .object(let members) = event, !sdk.request.perEvent.isEmpty else { return event }
        return .object(Template.flattened(members + sdk.request.perEvent))
    }

    /// The inside of a JSON string.
    static func escaped(_ text: String) -> [UInt8] {
        var buffer = WireBuffer()
        buffer.appendJSONString(text)
        return Array(buffer.bytes.dropFirst().dropLast())
    }
}

/// The texts of screens and controls, escaped; empty where there is none.
struct DeclaredScreens: Sendable {
    struct Screen: Sendable {
        var name: [UInt8]
        var className: [UInt8]
        var title: [UInt8]
        var controls: [(label: [UInt8], className: [UInt8])]
    }

    private let screens: [Screen]

    init(_ app: AppDescription) {
        screens = app.screens.map { screen in
            Screen(
                name: DeclaredProgram.escaped(screen.name),
                className: DeclaredProgram.escaped(screen.className),
                title: DeclaredProgram.escaped(screen.title),
                controls: screen.controls.map {
                    (DeclaredProgram.escaped($0.label), DeclaredProgram.escaped($0.className))
                })
        }
    }

    /// What a placeholder stands for in an event; `nil` if it is absent there.
    @inline(__always)
    func text(_ source: Placeholder.Source, of record: EventRecord, isTap: Bool) -> [UInt8]? {
        let index = source == .screenPreviousName && !isTap ? record.control : record.screen
        guard index != .max else { return nil }
        let screen = screens[Int(index)]
        switch source {
        case .screenName: return screen.name
        case .screenPreviousName: return isTap ? nil : screen.name
        case .screenClass: return screen.className
        case .screenTitle: return screen.title.isEmpty ? nil : screen.title
        case .elementText, .elementClass:
            guard isTap, record.control != .max else { return nil }
            let control = screen.controls[Int(record.control)]
            let text = source == .elementText ? control.label : control.className
            return text.isEmpty ? nil : text
        default: return nil
        }
    }
}

/// What is the same for a whole population, escaped.
struct DeclaredPopulationTexts: Sendable {
    private let texts: [Placeholder.Source: String]

    init(_ plan: PopulationPlan) {
        texts = [
            .apiKey: plan.target.apiKey, .account: plan.target.accountID, .appName: plan.app.displayName,
            .appID: plan.app.bundleIdentifier,
        ]
    }

    /// The text of a placeholder, as it is; empty for one that is no population's.
    func text(_ source: Placeholder.Source) -> String { texts[source] ?? "" }

    /// A template of nothing but the population's own, as a text.
    func text(of template: Template) -> String {
        switch template {
        case .text(let pieces):
            pieces.map { piece in
                switch piece {
                case .constant(let text): text
                case .slot(let placeholder): text(of: .value(placeholder))
                }
            }
            .joined()
        case .value(let placeholder):
            placeholder.applied(to: text(placeholder.source)).constantText ?? ""
        case .number(let digits): digits
        case .bool(let value): value ? "true" : "false"
        default: ""
        }
    }
}
