package import Measurement
import Timebase
import Wire

/// The grammar of conditions, as a schema's patterns tell it. What a scenario may write is decided by
/// `Threshold.parse`, which agrees with these patterns on every text.
package enum ThresholdGrammar {
    private static let blank = "[ \\t]*"
    private static let number =
        "[+-]?(?:[0-9]{1,15}(?:\\.[0-9]{0,15})?|\\.[0-9]{1,15})(?:[eE][+-]?[0-9]{1,2})?"
    /// 0 to 100, as decimals.
    private static let percentile =
        "(?:0{0,12}100(?:\\.0{0,15})?|0{0,13}[0-9]{1,2}(?:\\.[0-9]{0,15})?|\\.[0-9]{1,15})"
    private static let comparison = "(?:===?|!=|<=?|>=?)"

    /// What may be asked of a kind of metric.
    private static func aggregation(_ kind: MetricCatalogue.Kind) -> String {
        switch kind {
        case .trend: "(?:avg|min|med|max|count|p\\(\(blank)\(percentile)\(blank)\\))"
        case .counter: "(?:count|rate)"
        case .rate: "rate"
        case .gauge: "value"
        }
    }

    /// Matches the conditions of a kind of metric, whole.
    package static func condition(_ kind: MetricCatalogue.Kind) -> String {
        "^\(blank)\(aggregation(kind))\(blank)\(comparison)\(blank)\(number)\(blank)$(?!\\n)"
    }

    /// Matches the names of a kind's metrics, whole: with the tag of a population or without. Which populations there
    /// are is not its business.
    package static func metric(_ kind: MetricCatalogue.Kind) -> String {
        let (whole, byPopulation) = (
            names(kind).filter(MetricCatalogue.ofFleetAlone.contains),
            names(kind).filter { !MetricCatalogue.ofFleetAlone.contains($0) }
        )
        let tagged = "(?:\(byPopulation.joined(separator: "|")))\(blank)(?:\(tag("population")))?"
        let ofEntries = MetricCatalogue.ofEntries.filter { $0.kind == kind }.map(\.name)
        let byEntry =
            ofEntries.isEmpty ? [] : ["(?:\(ofEntries.joined(separator: "|")))\(blank)\(tag("entry"))"]
        return "^\(blank)(?:\((whole + [tagged] + byEntry).joined(separator: "|")))\(blank)$(?!\\n)"
    }

    /// Matches a tag. An entry's name may begin with a digit: it may be its index.
    private static func tag(_ key: String) -> String {
        let first = key == "entry" ? "[A-Za-z0-9]" : "[A-Za-z]"
        return "\\{\(blank)\(key)\(blank):\(blank)\(first)[A-Za-z0-9_-]{0,63}\(blank)\\}"
    }

    static func names(_ kind: MetricCatalogue.Kind) -> [String] {
        MetricCatalogue.all.filter { $0.kind == kind }.map(\.name)
    }
}

/// One condition of a threshold as decoded.
struct ThresholdDraft: Hashable, Sendable {
    var expression: Located<String>?
    var abortsOnFail = false
    var delayAbortEval: Located<Interval>?

    private static func format(_ expression: Form<String>) -> ObjectDescription<ThresholdDraft> {
        ObjectDescription(
            "A condition that can end the run.", start: ThresholdDraft.init,
            [
                Field(
                    "threshold", \.expression, expression.located, required: true, "Such as \"p(99)<250\"."),
                Field(
                    "abortOnFail", \.abortsOnFail, .boolean,
                    "Whether the run ends, drains and fails once it does not hold."),
                Field(
                    "delayAbortEval", \.delayAbortEval, Form<Interval>.duration().located,
                    "How long into the run that cannot happen; by default it can from the start."),
            ])
    }

    private static func conditions(_ expression: Form<String>) -> Form<[ThresholdDraft]> {
        let plain: Form<ThresholdDraft> = expression.located.map { text, _, _ in
            ThresholdDraft(expression: text)
        }
        return .list(
            of: .either(
                [(.string, plain), (.object, .object(format(expression)))],
                allowed: "a condition such as \"rate<0.001\", or an object with \"threshold\""),
            count: 1...100)
    }

    /// Conditions by metric: decoded whatever the metric, since only the checker knows expressions; the schema has the
    /// names, and for each kind of metric what may be asked of it.
    static let form: Form<[Named<[ThresholdDraft]>]> = {
        var form = Form<[Named<[ThresholdDraft]>]>.map(of: conditions(.text()))
        form.schema = ThresholdDraft.schema
        return form
    }()

    @Sendable private static func schema(_ definitions: inout SchemaDefinitions) -> JSONNode {
        var references: [MetricCatalogue.Kind: JSONNode] = [:]
        for kind in MetricCatalogue.Kind.allCases {
            references[kind] = definitions.reference(to: "thresholds-\(kind.rawValue)") {
                conditions(.condition(of: kind)).schema(&$0)
            }
        }
        func schema(_ kind: MetricCatalogue.Kind, _ summary: String) -> JSONNode {
            let reference = references[kind]?.members ?? []
            return .object(
                [("description", .text(summary))] + reference.map { ($0.key, $0.value) })
        }
        let named = MetricCatalogue.all.map { entry in
            (entry.name, schema(entry.kind, "\(entry.summary) Allowed: \(entry.kind.aggregations)."))
        }
        let patterns = MetricCatalogue.Kind.allCases.map { kind in
            (ThresholdGrammar.metric(kind), schema(kind, "Allowed: \(kind.aggregations)."))
        }
        return .object([
            ("type", .text("object")), ("properties", .object(named)),
            ("patternProperties", .object(patterns)), ("additionalProperties", .bool(false)),
        ])
    }
}

extension Form where Value == String {
    /// A condition on a kind of metric.
    fileprivate static func condition(of kind: MetricCatalogue.Kind) -> Form {
        .matching(
            pattern: ThresholdGrammar.condition(kind), what: "a condition: \(kind.aggregations)",
            parse: { $0 },
            encode: { .text($0) })
    }

    /// The name of a preset, or of something that the scenario defines: an editor offers the presets.
    static func name(amongPresets names: [String]) -> Form {
        var form = Form<String>.text()
        let text = form.schema
        form.schema = { definitions in
            .object([("anyOf", .list([.object([("enum", .texts(names))]), text(&definitions)]))])
        }
        return form
    }
}
