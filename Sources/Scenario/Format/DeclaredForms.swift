import SDKDescription
import Timebase
import Wire
import World

/// Values that only descriptions have.
enum DeclaredForms {
    /// A template: any JSON, which is read once the description's constants are known.
    static let template = Form<Place>(decode: { place, _ in place }, schema: { _ in .object([]) })

    /// A template that makes a text: a member such as a header has no other kind of value.
    static let textTemplate = Form<Place>(
        decode: { place, _ in place }, schema: { _ in .object([("type", .text("string"))]) })

    /// A value, or a word for nothing.
    static func orNone<Value: Sendable>(_ form: Form<Value>, none word: String = "none") -> Form<Value?> {
        Form<Value?>(
            shape: { .either([form.shape(), .text]) },
            decode: { place, reading in
                if place.node.string == word { return .some(nil) }
                let known = reading.problems.count
                let value = form.decode(place, &reading)
                reading.allow("\"\(word)\"", at: place, beside: known)
                return value.map { .some($0) }
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
        pattern: #"^/(\{?[^?# {])*\{?$"#,
        what:
            "a path of at most 1000 bytes that begins with \"/\" and has no blank or control character (a blank is %20), no "
            + "\"?\", no \"#\" and no placeholder: what varies goes into query or headers, or into the path of the target"
    ) { text in
        let isPath = text.hasPrefix("/") && isPlain(path: text) && !text.contains("{{")
        return isPath && text.utf8.count <= 1000 ? text : nil
    } encode: {
        .text($0)
    }

    /// Whether a text may stand in a path as it is: without blanks, control characters, a query and a fragment.
    static func isPlain(path text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
        }
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
            (
                .string,
                .name(
                    [("none", nil)],
                    what: "an object with keys of: \"at\", \"events\", \"bytes\", \"together\"; or a word")
            ),
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

    /// `retry.retryAfter.on`.
    static let headerStatuses: Form<Set<UInt16>?> = .either(
        [
            (
                .array,
                Form<[Int]>.list(of: .integer(100...599), count: 1...500).map { statuses, _, _ in
                    .some(Set(statuses.map { UInt16($0) }))
                }
            ),
            (
                .string,
                Form<String>.matching(
                    pattern: #"^ *([1-5]([0-9][0-9]|xx)|\*)( +([1-5]([0-9][0-9]|xx)|\*))* *$"#,
                    what: "statuses, hundreds such as 3xx, or *, with spaces between"
                ) { words in
                    let statuses = words.split(separator: " ").map { AnswerTable.Match($0)?.answers }
                    guard !statuses.isEmpty, !statuses.contains(nil) else { return nil }
                    return .some(statuses.reduce(into: Set()) { $0.formUnion($1 ?? 100...599) })
                }
            ),
        ], allowed: "an array of statuses, or a text such as \"3xx 429\" or \"*\"")

    static let latch: Form<DescribedSDK.Retry.Latch?> = Form<DescribedSDK.Retry.Latch>.object(
        ObjectDescription(
            "A stop of all uploads.", start: { .init() },
            [
                Field(
                    "on", \.on,
                    Form<[AnswerTable.Failure]>.list(
                        of: .cases(what: "a failure"), count: 0...10,
                        what: "failures: " + quotedList(AnswerTable.Failure.allCases.map(\.rawValue))
                    ).map { failures, _, _ in Set(failures) },
                    "Failures after which it stops at once."),
                Field(
                    "until", \.until,
                    Form<[DescribedSDK.Retry.Latch.Until]>.list(
                        of: .cases(what: "an end"), count: 0...3,
                        what: "ends: " + quotedList(DescribedSDK.Retry.Latch.Until.allCases.map(\.rawValue))
                    ).map { ends, _, _ in Set(ends) },
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
}
