import AppModel
import DeviceSDK
import SDKDescription
import Wire

/// Everything that is written of a population's events, compiled once, and laid out as plain values.
///
/// Not thread-safe: what is rendered for a device's state is kept here.
final class DeclaredProgram {
    private let arena = DeclaredArena()
    /// By template; without steps for what is not captured.
    let events: UnsafePointer<DeclaredRun>
    /// By template, the parts of the natural key.
    let keys: [[DeclaredRun]]
    let bodyStart: DeclaredRun
    let bodyEnd: DeclaredRun
    /// Texts between the two that hold the events as JSON, each within the one before; empty for events as they are.
    let bodyTexts: [BodyText]
    /// The form around a body; `nil` for none.
    let form: DeclaredForm?
    /// The bodies of fetches, by configuration; `nil` for one without.
    let fetches: [DeclaredRun?]
    /// What lies between the two.
    let framing: DescribedSDK.Request.Framing
    let chunks: UnsafeMutablePointer<DeclaredChunk>
    /// By use of `{{properties}}`.
    let properties: UnsafePointer<DeclaredProperties>
    /// By template, whether the app's code sends the event before once more, with its values.
    let repeats: UnsafePointer<Bool>
    let texts: DeclaredTexts
    /// What the population's own placeholders stand for.
    let population: DeclaredPopulationTexts

    /// A text that holds JSON with the events in it.
    struct BodyText {
        let encoding: Template.Encoding
        let before: DeclaredRun
        let after: DeclaredRun

        fileprivate init(_ part: DeclaredBodyPart, _ layout: inout DeclaredLayout) {
            encoding = part.encoding ?? .jsonText
            before = layout.run(part.before)
            after = layout.run(part.after)
        }
    }

    init(plan: PopulationPlan, sdk: DescribedSDK, templates: DeclaredTemplates) {
        let filling = DeclaredPopulationTexts(plan)
        population = filling
        texts = DeclaredTexts(plan, sdk.identity, arena)
        var compiler = DeclaredCompiler()
        var events: [[DeclaredOperation]] = []
        var keys: [[[DeclaredOperation]]] = []
        var properties: [DeclaredProperties] = []
        let sampler = PropertySampler(app: plan.app)
        for kind in templates.kinds {
            let event = kind.template.map { Self.event($0, sdk, isTagged: plan.tagsEvents).filled(filling) }
            events.append(event.map { compiler.compile($0) } ?? [])
            keys.append(Self.keys(of: kind.template, sdk).map { compiler.compile($0.filled(filling)) })
            for excluded in compiler.excludedNames[properties.count...] {
                properties.append(
                    DeclaredProperties(
                        kind.properties, without: excluded, app: plan.app, sampler: sampler, arena: arena))
            }
        }
        let body = compiler.compile(body: sdk.request.body.filled(filling))
        let fetches = sdk.configs.map { config in
            config.body.map { compiler.compile($0.filled(filling)) }
        }
        let fields = sdk.request.form.map { field in
            (name: field.name, value: field.value, steps: compiler.compile(field.value.filled(filling)))
        }
        var layout = DeclaredLayout(arena: arena, texts: texts, properties: properties)
        layout.add(compiler.chunks)
        self.events = UnsafePointer(arena.keep(table: events.map { layout.run($0) }))
        self.keys = keys.map { parts in parts.map { layout.run($0) } }
        (bodyStart, bodyEnd) = (layout.run(body[0].before), layout.run(body[0].after))
        bodyTexts = body.dropFirst().map { BodyText($0, &layout) }
        self.fetches = fetches.map { steps in steps.map { layout.run($0) } }
        let formFields = fields.map { ($0.name, $0.value, layout.run($0.steps)) }
        form = formFields.isEmpty ? nil : DeclaredForm(formFields, escaping: sdk.request.escaping)
        framing = sdk.request.framing
        chunks = arena.keep(table: layout.chunks)
        self.properties = UnsafePointer(arena.keep(table: properties))
        repeats = UnsafePointer(arena.keep(table: templates.kinds.map(\.isRepeated)))
    }

    /// The parts of the natural key of a template's events; none of what is not captured.
    private static func keys(of template: DescribedSDK.EventTemplate?, _ sdk: DescribedSDK) -> [Template] {
        guard let template else { return [] }
        return sdk.events.key.map { template.envelope.value(at: $0)?.inNormalForm ?? .null }
    }

    /// An event with the harness's id, and with what it gets when it is sent.
    private static func event(
        _ template: DescribedSDK.EventTemplate, _ sdk: DescribedSDK, isTagged: Bool
    ) -> Template {
        var event = template.envelope
        if isTagged, sdk.events.tag != nil, let tag = sdk.tag(of: template) {
            event = event.inserting(.value(Placeholder(.harnessID)), at: tag) ?? event
        }
        guard case .object(let members) = event, !sdk.request.perEvent.isEmpty else { return event }
        return .object(Template.flattened(members + sdk.request.perEvent))
    }
}

/// Lays compiled steps out in an arena, and counts the most bytes that they write.
struct DeclaredLayout {
    let arena: DeclaredArena
    let texts: DeclaredTexts
    let properties: [DeclaredProperties]
    private(set) var chunks: [DeclaredChunk] = []
    /// Where the harness's id was written last, and values that count on, in all templates together.
    private let tag: UnsafeMutablePointer<LastOccurrence>
    private let digits: [UnsafeMutablePointer<LastOccurrence>]

    init(arena: DeclaredArena, texts: DeclaredTexts, properties: [DeclaredProperties]) {
        self.arena = arena
        self.texts = texts
        self.properties = properties
        tag = arena.occurrence()
        digits = (0..<4).map { _ in arena.occurrence() }
    }

    /// Where a value was written last that counts on.
    private func occurrence(
        of source: Placeholder.Source
    ) -> UnsafeMutablePointer<LastOccurrence> {
        switch source {
        case .time: digits[0]
        case .sent, .sealed: digits[1]
        case .row: digits[2]
        default: digits[3]
        }
    }

    /// Adds chunks; none of them has chunks in it.
    mutating func add(_ chunks: [[DeclaredOperation]]) {
        for operations in chunks {
            let run = run(operations)
            self.chunks.append(
                DeclaredChunk(
                    run: run, memory: arena.reserve(run.limit + DeclaredCursor.slack),
                    occurrence: arena.occurrence()))
        }
    }

    func run(_ operations: [DeclaredOperation]) -> DeclaredRun {
        // The limits at which texts begin that are still being written.
        var open: [Int] = []
        var limit = 0
        var most = 0
        for operation in operations {
            switch operation {
            case .bytes(let bytes): limit += bytes.count
            case .slot(let source, _): limit += texts.limit(of: source)
            case .chunk(let number): limit += chunks[number].run.limit
            case .comma: limit += 1
            case .skip, .skipIfAbsent: break
            case .properties(let number): limit += properties[number].limit
            case .harnessID: limit += 2 * DeclaredCursor.digits
            case .beginText: open.append(limit)
            case .endText(let encoding):
                let begin = open.popLast() ?? limit
                limit = begin + max(limit - begin, encoding.limit(of: limit - begin))
            }
            most = max(most, limit)
        }
        let steps = operations.map { step($0) }
        return DeclaredRun(steps: UnsafePointer(arena.keep(table: steps)), count: steps.count, limit: most)
    }

    private func step(_ operation: DeclaredOperation) -> DeclaredStep {
        switch operation {
        case .bytes(let bytes):
            DeclaredStep(kind: .bytes, bytes: arena.keep(bytes), occurrence: arena.occurrence(of: bytes))
        case .slot(let source, let form):
            DeclaredStep(
                kind: .slot, source: source, form: form,
                occurrence: source.isCounted ? occurrence(of: source) : nil)
        case .chunk(let number): DeclaredStep(kind: .chunk, number: Int32(number))
        case .comma: DeclaredStep(kind: .comma)
        case .skipIfAbsent(let source, let count):
            DeclaredStep(kind: .skipIfAbsent, source: source, number: Int32(count))
        case .skip(let count): DeclaredStep(kind: .skip, number: Int32(count))
        case .properties(let number): DeclaredStep(kind: .properties, number: Int32(number))
        case .harnessID: DeclaredStep(kind: .harnessID, occurrence: tag)
        case .beginText: DeclaredStep(kind: .beginText)
        case .endText(.jsonText): DeclaredStep(kind: .endJSON)
        case .endText(.base64url): DeclaredStep(kind: .endBase64)
        }
    }
}

extension Template.Encoding {
    /// The most bytes that so many bytes of JSON become.
    fileprivate func limit(of count: Int) -> Int {
        switch self {
        // JSON has no control characters: what must be escaped takes one byte more.
        case .jsonText: 2 * count
        case .base64url: Base64.encodedCount(of: count)
        }
    }
}

extension Template {
    /// The template with its numbers as whoever has parsed them writes them; what lies in a text stays as it is.
    fileprivate var inNormalForm: Template {
        switch self {
        case .null, .bool, .text, .value, .encoded: self
        case .number(let digits): .number(Self.normalForm(of: digits))
        case .list(let elements): .list(elements.map(\.inNormalForm))
        case .object(let members):
            .object(
                members.map { member in
                    switch member {
                    case .key(let name, let value): .key(name, value.inNormalForm)
                    case .merge(let value): .merge(value.inNormalForm)
                    }
                })
        }
    }

    private static func normalForm(of digits: String) -> String {
        var normal = WireBuffer()
        WireBuffer(digits).withUnsafeBytes { bytes in
            _ = try? JSONParser().withParsed(bytes) { $0.appendJSON(to: &normal) }
        }
        return normal.count > 0 ? normal.text : digits
    }
}
