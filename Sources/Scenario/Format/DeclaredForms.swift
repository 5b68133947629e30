import SDKDescription
import Timebase
import Wire
import World

/// Values that only descriptions have.
enum DeclaredForms {
    /// A template: any JSON, which is read once the description's constants are known.
    static let template = Form<Place>(decode: { place, _ in place }, schema: { _ in .object([]) })

    /// A value, or a word for nothing.
    static func orNone<Value: Sendable>(_ form: Form<Value>, none word: String = "none") -> Form<Value?> {
        Form<Value?>(
            shape: { .either([form.shape(), .text]) },
            decode: { place, reading in
                if place.node.string == word { return .some(nil) }
                if place.node.string != nil, !form.shape().takesText {
                    reading.report(.outOfRange, place, allowed: "\"\(word)\", or a number")
                    return nil
                }
                return form.decode(place, &reading).map { .some($0) }
            },
            schema: { definitions in
                .object([
                    ("anyOf", .list([.object([("const", .text(word))]), form.schema(&definitions)]))
                ])
            },
            encode: { value in value.map { form.encode($0) } ?? .text(word) })
    }

    static let onLaunch: Form<DescribedSDK.Upload.OnLaunch> = .either(
        [
            (.bool, Form<Bool>.boolean.map { isOn, _, _ in isOn ? .all : .never }),
            (.string, .name([("byUser", .byUser)], what: "a kind of start")),
        ], allowed: "true, false or \"byUser\"",
        encode: { value in
            switch value {
            case .never: .bool(false)
            case .all: .bool(true)
            case .byUser: .text("byUser")
            }
        })

    static let durationOrNone = orNone(Form<Interval>.duration(.milliseconds(1)...Form<Interval>.longest))

    static let path: Form<String> = Form<String>.matching(
        pattern: "^/[^?# ]*$", what: "a path that begins with \"/\" and has no query"
    ) { text in
        text.hasPrefix("/") && !text.contains { "?# \r\n".contains($0) } && text.utf8.count <= 1000
            ? text : nil
    } encode: {
        .text($0)
    }

    static let requiredPointer: Form<JSONPath> = Form<String>.matching(
        pattern: "^/", what: "a JSON pointer such as \"/properties/bs_id\""
    ) { text in
        text.hasPrefix("/") ? JSONPath(text: text) : nil
    } encode: {
        .text($0.pointer)
    }

    static let pointer = requiredPointer.map { path, _, _ -> JSONPath?? in .some(path) }

    static let networks: Form<Set<String>> = PolicyForms.networks.map(
        { kinds, _, _ in Set(kinds.map(\.name)) }, encode: { .texts($0.sorted()) })

    static let networksOrAny: Form<Set<String>?> = PolicyForms.anyNetworks.map(
        { kinds, _, _ in .some(kinds.map { Set($0.map(\.name)) }) },
        encode: { $0.map { .texts($0.sorted()) } ?? .text("any") })

    static let seal: Form<DescribedSDK.Seal?> = .either(
        [
            (.string, .name([("none", nil)], what: "a way to seal")),
            (
                .object,
                Form<DescribedSDK.Seal>.object(
                    ObjectDescription(
                        "Batches that are fixed in the store.", start: { DescribedSDK.Seal() },
                        [
                            Field(
                                "at", \.at, .cases(what: "a moment"),
                                "When a file is closed: at each \"flush\"; or when the \"day\" on the device's "
                                    + "calendar is over."),
                            Field(
                                "events", \.events, orNone(.integer(1...1_000_000)),
                                "Events in a file, at most, or \"none\"."),
                            Field(
                                "bytes", \.bytes, orNone(.integer(1...1_000_000_000)),
                                "Bytes of a file's events, at most, or \"none\"."),
                            Field(
                                "together", \.together, .boolean,
                                "Whether one request has all files of days that are over."),
                        ])
                ).map { seal, _, _ in .some(seal) }
            ),
        ], allowed: "\"none\" or an object with keys of: \"at\", \"events\", \"bytes\", \"together\"",
        encode: { $0 == nil ? .text("none") : nil })

    static let latch: Form<DescribedSDK.Retry.Latch?> = Form<DescribedSDK.Retry.Latch>.object(
        ObjectDescription(
            "A stop of all uploads.", start: { .init() },
            [
                Field(
                    "on", \.on,
                    Form<[AnswerTable.Failure]>.list(of: .cases(what: "a failure"), count: 0...10).map {
                        failures, _, _ in Set(failures)
                    }, "Failures after which it stops at once."),
                Field(
                    "until", \.until,
                    Form<[DescribedSDK.Retry.Latch.Until]>.list(of: .cases(what: "an end"), count: 0...3).map
                    {
                        ends, _, _ in Set(ends)
                    },
                    "What ends the stop: a change of the network, a return to the foreground, a new process."),
            ])
    ).map { latch, _, _ in .some(latch) }

    /// `upload.maxBatchesPerFlush`.
    static let batches = Form<DescribedSDK.Upload.Batches>(
        shape: { .either([count.shape(), perTrigger.shape()]) },
        decode: { place, reading in
            if place.node.isObject { return perTrigger.decode(place, &reading) }
            var batches = DescribedSDK.Upload.Batches()
            guard let others = count.decode(place, &reading) else { return nil }
            batches.others = others
            return batches
        },
        schema: { .object([("anyOf", .list([count.schema(&$0), perTrigger.schema(&$0)]))]) },
        encode: { $0.own.isEmpty ? count.encode($0.others) : nil })

    private static let count = orNone(Form<Int>.integer(1...100_000), none: "all")

    private static let perTrigger = ObjectDescription<DescribedSDK.Upload.Batches>(
        "Requests by what set them off.", start: { .init() },
        [Field("others", \.others, count, "After every other trigger.")]
            + DescribedSDK.Upload.Trigger.allCases.map { trigger in
                Field(trigger.rawValue, \.own[trigger], count, "After the trigger \(trigger.rawValue).")
            })

    // MARK: Answers

    /// `answers`.
    static let answers = Form<AnswerTable>(
        shape: { .list { .plain } }, decode: { answers($0, &$1) },
        schema: { _ in
            let verdicts = JSONNode.texts(AnswerTable.Verdict.allCases.map(\.rawValue))
            return .object([
                ("type", .text("array")), ("minItems", .int(1)), ("maxItems", .int(200)),
                (
                    "items",
                    .object([
                        ("type", .text("array")), ("minItems", .int(2)), ("maxItems", .int(2)),
                        (
                            "prefixItems",
                            .list([.object([("type", .text("string"))]), .object([("enum", verdicts)])])
                        ),
                    ])
                ),
            ])
        })

    static let answersDoc =
        "What each end of an upload does to its rows: rules [matches, verdict] in order, of which the first that matches "
        + "holds. Matches, with spaces between: statuses (429), hundreds (5xx), failures (offline, dns, refused, tls, "
        + "reset, timeout, broken), \"network\" for every failure, \"*\" for everything; a status or hundred with a place and a "
        + "value holds for answers whose body has that (2xx/code=200). Verdicts: delivered; "
        + "deliveredClear (and all else in the store is lost); drop; keep; retry (keep, and count a failure); halve (the "
        + "same, and requests carry half as many from now on); split (sent again in two halves)."

    private static func answers(_ place: Place, _ reading: inout Reading) -> AnswerTable? {
        guard let rows = place.node.elements, (1...200).contains(rows.count) else {
            reading.report(
                .wrongType, place, allowed: "an array of 1 to 200 rules such as [\"2xx\", \"delivered\"]")
            return nil
        }
        let rules = rows.enumerated().compactMap { index, node in
            rule(Place(node: node, path: place.path.appending(index)), &reading)
        }
        guard rules.count == rows.count else { return nil }
        let table = AnswerTable(rules)
        for index in table.idle {
            reading.report(
                .conflict, Place(node: rows[index], path: place.path.appending(index)),
                found: "a rule that never holds", allowed: "only rules about what none before them is about")
        }
        if let missing = table.missing {
            reading.report(
                .conflict, place, found: "no rule for \(missing)",
                allowed: "a rule for each answer and failure; [\"*\", …] as the last one takes what is left")
            return nil
        }
        if let failure = table.unanswered {
            reading.report(
                .conflict, place, found: "delivered on \"\(failure.rawValue)\"",
                allowed: "drop, keep, retry, halve or split where nobody has answered")
            return nil
        }
        return table
    }

    private static func rule(_ place: Place, _ reading: inout Reading) -> AnswerTable.Rule? {
        guard let pair = place.node.elements, pair.count == 2, let words = pair[0].string else {
            reading.report(
                .wrongType, place, allowed: "a rule of two texts: what it matches, and its verdict")
            return nil
        }
        let matches = words.split(separator: " ").map { (word: $0, match: AnswerTable.Match($0)) }
        for (word, match) in matches where match == nil {
            reading.reportUnknown(
                String(word), Place(node: pair[0], path: place.path.appending(0)),
                among: AnswerTable.Match.words, what: "a status, a hundred such as 5xx, or a failure")
        }
        if matches.isEmpty {
            reading.report(
                .outOfRange, Place(node: pair[0], path: place.path.appending(0)),
                allowed: "at least one match")
        }
        let verdicts = Form<AnswerTable.Verdict>.cases(what: "a verdict", unsupported: ["dropListed"])
        let verdict = verdicts.decode(Place(node: pair[1], path: place.path.appending(1)), &reading)
        guard let verdict, !matches.isEmpty, !matches.contains(where: { $0.match == nil }) else { return nil }
        return AnswerTable.Rule(matches.compactMap(\.match), verdict)
    }
}
