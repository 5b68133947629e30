import DeviceSDK
import Wire

/// One system's part of the format: its name and versions, its knobs, and how they become rules.
///
/// A further system adds itself to ``all``.
struct SystemFormat: Sendable, Equatable {
    let name: String
    /// The first is the default.
    let versions: [String]
    /// What `--set` may put into `sdk`.
    let shape: @Sendable () -> Shape
    /// The JSON Schema of `sdk`.
    let schema: @Sendable (inout SchemaDefinitions) -> JSONNode
    /// Makes the rules of a version from its knobs, and reports what is wrong with them.
    ///
    /// `version` is what the population says, if anything; `population` is told where a part is missing.
    let bind:
        @Sendable (
            _ version: Located<String>?, _ sdk: Place?, _ population: Place, _ reading: inout Reading
        ) -> (any SystemRuleSet)?
    /// Whether other versions than ``versions`` may be named.
    var hasOpenVersions = false
    /// Whether devices send archives of whole days, on a later day.
    var sendsDailyArchives = false
    /// Changes rules of this system by the knobs of a roll-out, and reports what is wrong with them.
    let change: @Sendable (_ rollOut: RollOutDraft, _ reading: inout Reading) -> any SystemRuleSet

    /// Every system that can be simulated, in the order in which messages name them.
    static let all = [
        SystemFormat(SensorsFormat.description, check: SensorsFormat.check),
        SystemFormat(GrowingFormat.description, check: GrowingFormat.check),
        SystemFormat(TrackingSDKFormat.description), SystemFormat(KitFormat.description),
        SystemFormat(CodelessFormat.description, check: CodelessFormat.check), DeclaredFormat.system,
    ]

    /// Describes a system.
    ///
    /// - Parameters:
    ///   - description: The knobs; each version is a variant.
    ///   - check: Reports what no single knob can know, and warns of what the real SDK would not do.
    init<Rules: SystemRuleSet>(
        _ description: ObjectDescription<Rules>,
        check: @escaping @Sendable (Rules, Place, inout Reading) -> Void = { _, _, _ in }
    ) {
        name = Rules.systemName
        sendsDailyArchives = Rules.sendsDailyArchives
        let versions = Rules.Version.allCases.map(\.rawValue)
        self.versions = versions
        shape = description.shape
        schema = { description.schema(&$0) }
        bind = { named, sdk, _, reading in
            let version = named.flatMap { Rules.Version(rawValue: $0.value) }
            if let named, version == nil {
                reading.reportUnknown(
                    named.value, named.place, among: versions, what: "a version of \"\(Rules.systemName)\"")
            }
            // The knobs are read even if the version is unknown, to tell all problems at once.
            var rules = Rules(version: version ?? Rules.Version.allCases[Rules.Version.allCases.startIndex])
            if let sdk {
                description.decode(sdk, into: &rules, &reading)
                let before = reading.problems.count
                check(rules, sdk, &reading)
                // Nothing contradicts a version that only stands in the place of a wrong one.
                if named != nil, version == nil { reading.problems.removeSubrange(before...) }
            }
            return named != nil && version == nil ? nil : rules
        }
        change = { rollOut, reading in
            let sdk = rollOut.sdk
            guard var changed = rollOut.rules as? Rules else { return rollOut.rules }
            let before = reading.problems.count
            description.decode(sdk, into: &changed, &reading)
            if reading.problems.count == before { RollOutKnobs.builtIn.check(sdk, &reading) }
            if reading.problems.count == before { check(changed, sdk, &reading) }
            return changed
        }
    }

    /// Describes a system whose versions are made up elsewhere.
    init(
        name: String, versions: [String], shape: @escaping @Sendable () -> Shape,
        schema: @escaping @Sendable (inout SchemaDefinitions) -> JSONNode,
        change: @escaping @Sendable (RollOutDraft, inout Reading) -> any SystemRuleSet,
        bind:
            @escaping @Sendable (Located<String>?, Place?, Place, inout Reading) -> (any SystemRuleSet)?
    ) {
        self.name = name
        self.versions = versions
        self.shape = shape
        self.schema = schema
        self.bind = bind
        self.change = change
        hasOpenVersions = true
    }

    static func == (left: SystemFormat, right: SystemFormat) -> Bool { left.name == right.name }

    /// Whether `sdk` has a knob, by the keys that lead to it.
    func has(_ knob: [String]) -> Bool {
        knob.reduce(Optional(shape())) { $0?.child($1) } != nil
    }

    /// `populations[].system`.
    static let form = Form<SystemFormat>.name(
        all.map { ($0.name, $0) },
        what: "a system (\"declared\" with a preset or a description in \"sdk\" is any other)")

    /// `populations[].sdk` of any system: decoded once system and version are known.
    static let sdk = Form<Place>(
        shape: { .either(all.map { $0.shape() }) }, decode: { place, _ in place },
        schema: { _ in .object([("type", .text("object"))]) })

    /// `timeline[].sdk`: some of the knobs of any system, decoded once the populations are known.
    static let rollOut = Form<Place>(
        shape: sdk.shape, decode: sdk.decode,
        schema: { definitions in
            .object([
                (
                    "anyOf",
                    .list(
                        all.map { system in
                            definitions.reference(to: "sdk-" + system.name) { system.schema(&$0) }
                        })
                )
            ])
        })

    /// What the schema of a population demands of `version` and `sdk`, system by system.
    static func conditions(_ definitions: inout SchemaDefinitions) -> [JSONNode] {
        all.map { system in
            let sdk = definitions.reference(to: "sdk-" + system.name) { system.schema(&$0) }
            let version: JSONNode =
                system.hasOpenVersions
                ? .object([("type", .text("string")), ("examples", .texts(system.versions))])
                : .object([("enum", .texts(system.versions)), ("default", .text(system.versions[0]))])
            let name: JSONNode = .object([("enum", .texts([system.name]))])
            return .object([
                ("if", .object([("properties", .object([("system", name)]))])),
                ("then", .object([("properties", .object([("version", version), ("sdk", sdk)]))])),
            ])
        }
    }
}

extension ObjectDescription where Root: SystemRuleSet {
    /// Some of a system's knobs, with each version's own values as defaults.
    static func rules(
        _ doc: String, unsupported: [UnsupportedKey] = [], _ fields: [Field<Root>]
    ) -> ObjectDescription {
        let versions = Root.Version.allCases.map { ($0.rawValue, Root(version: $0)) }
        return ObjectDescription(
            doc, start: { versions[0].1 }, variants: versions, unsupported: unsupported, fields)
    }
}

extension Place {
    /// What lies deeper, if it is there.
    func value(at keys: [String]) -> Place? {
        node.value(at: keys).map { Place(node: $0, path: JSONPath(path.tokens + keys)) }
    }
}

/// The systems that can be simulated, as scenarios name them.
package enum SimulatedSystems {
    /// Each with its versions, the default first, in the order in which messages name them.
    package static var all: [(name: String, versions: [String])] {
        SystemFormat.all.map { ($0.name, $0.versions) }
    }

    /// Whether a system's devices send archives of whole days, on a later day; not those of one that is unknown.
    package static func sendsDailyArchives(_ system: String) -> Bool {
        SystemFormat.all.contains { $0.name == system && $0.sendsDailyArchives }
    }

    /// Whether `sdk` of a system has a knob, such as `["upload", "networks"]`; one that is unknown has none.
    package static func has(_ knob: [String], system: String) -> Bool {
        SystemFormat.all.contains { $0.name == system && $0.has(knob) }
    }
}
