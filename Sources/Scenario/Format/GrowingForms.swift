import DeviceSDK
import GrowingSDK
import Wire

/// The forms of GrowingIO's knobs.
enum GrowingForms {
    /// A set, written as an array; encoded in alphabetical order.
    static func set<Value: Hashable & Sendable>(of form: Form<Value>) -> Form<Set<Value>> {
        Form<[Value]>.list(of: form, count: 0...100).map(
            { values, _, _ in Set(values) },
            encode: { values in
                let nodes = values.map(form.encode)
                guard !nodes.contains(nil) else { return nil }
                return .list(nodes.compactMap { $0 }.sorted { $0.compactText < $1.compactText })
            })
    }

    static let ignoredFields = set(
        of: .name(GrowingRules.ignorableFields.map { ($0, $0) }, what: "a field that can be ignored"))

    /// A service that is there, or not.
    static let presence: Form<Bool> = .name([("default", true), ("none", false)], what: "a service")

    static let aesKey: Form<[UInt8]> = Form<String>.text(limit: 16).map(
        { text, place, reading in
            let bytes = Array(text.utf8)
            guard bytes.count == 16, bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
                reading.report(.outOfRange, place, allowed: "sixteen characters of ASCII")
                return nil
            }
            return bytes
        }, encode: { .text(String(decoding: $0, as: UTF8.self)) })

    static let pages: Form<GrowingRules.Autotrack.Pages> = .either(
        [
            (.string, .name([("all", .all)], what: "a choice of pages")),
            (
                .object,
                Form<[Named<String>]>.map(of: .text(limit: 200), count: 0...1000).map { names, _, _ in
                    .listed(Dictionary(names.map { ($0.name, $0.value) }) { _, last in last })
                }
            ),
        ], allowed: "\"all\", or an object of classes and aliases",
        encode: { pages in
            switch pages {
            case .all: .text("all")
            case .listed(let aliases):
                .object(aliases.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
            }
        })

    /// A number, or none.
    static let limit: Form<Int?> = .integer(
        1...1_000_000_000, or: "none", is: nil, make: { $0 },
        encode: { $0.map { .int($0) } ?? .text("none") })

    static let policies: Form<[String: GrowingPolicy]> = Form<[Named<GrowingPolicy>]>.map(
        of: .cases(what: "a policy"), count: 0...100
    ).map(
        { named, _, _ in Dictionary(named.map { ($0.name, $0.value) }) { _, last in last } },
        encode: { $0.isEmpty ? .object([]) : nil })

    /// Members of an object of texts, in the order of the file.
    private static let parameters: Form<[GrowingOwnEvent.Parameter]> = Form<[Named<String>]>.map(
        of: .text(limit: 2000, mayBeEmpty: true), count: 0...100
    ).map(
        { named, _, _ in named.map { GrowingOwnEvent.Parameter($0.name, $0.value) } },
        encode: { $0.isEmpty ? .object([]) : nil })

    private static let texts = Form<[String]>.list(of: .text(limit: 200), count: 0...1000)

    // MARK: Channels

    private struct ChannelDraft: Sendable {
        var types: [String] = []
        var template = GrowingChannel.template
        var isCustom = false
        var dialect: GrowingChannel.Dialect?
    }

    static let channel = Form<ChannelDraft>.object(
        ObjectDescription(
            "A channel: types of events that share an upload stream.", start: ChannelDraft.init,
            [
                Field(
                    "eventTypes", \.types, .list(of: .text(limit: 100), count: 1...100), required: true,
                    "Types of the events that go through it."),
                Field(
                    "urlTemplate", \.template, template, required: true,
                    "Path below the server's address; %@ stands for the account. A query is every request's "
                        + "own. document sends there; 3.2.1 logs it and sends to v3/projects/%@/collect, unless "
                        + "the dialect is v2."),
                Field(
                    "isCustomEvent", \.isCustom, .boolean,
                    "Whether its events go to the realtime store; such a channel sends all that is there."),
                Field(
                    "dialect", \.dialect, .cases(what: "a dialect"),
                    "v3, or v2, the second protocol: short names, JSON as application/octet-stream, always "
                        + "compressed and encrypted (by LZ4 and XOR, or what services names). By default v3; in "
                        + "document v2 for the second protocol's paths (v3/%@/ios/…, app/%@/…). In 3.2.1 v2 stands "
                        + "for a module that makes requests of its own, as the advertising module does."),
            ])
    ).map { draft, _, _ in
        GrowingChannel(
            types: draft.types, template: draft.template, isCustom: draft.isCustom, dialect: draft.dialect)
    }

    private static let template = Form<String>.text(limit: 500).map { text, place, reading -> String? in
        let isPath = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !text.hasPrefix("/")
        if !isPath || text.hasPrefix("http:") || text.hasPrefix("https:") {
            reading.report(
                .outOfRange, place,
                allowed:
                    "a path without the slash in front, such as \"v3/%@/ios/pv\"; all channels go to the "
                    + "target")
            return nil
        }
        return text
    }

    // MARK: Own events

    static let ownEvent = Form<GrowingOwnEvent>.object(
        ObjectDescription(
            "A type of event that the app adds.",
            start: { GrowingOwnEvent(type: "", base: .base, moment: .launch) },
            [
                Field("name", \.type, .text(limit: 100), required: true, "eventType, such as \"reengage\"."),
                Field(
                    "base", \.base, .cases(what: "a base"),
                    "What it inherits from: base, visit (idfa and idfv) or custom (eventName)."),
                Field("extra", \.extra, parameters, "extraParams: top-level members of the event."),
                Field("when", \.moment, .cases(what: "a moment"), required: true, "When the app posts it."),
                Field("chance", \.chance, .share, "Probability that it does."),
                Field("policy", \.policy, .cases(what: "a policy"), "When it may be sent."),
            ]))

    // MARK: Interceptors

    static let interceptor = Form<GrowingInterceptorRule>.object(
        ObjectDescription(
            "An interceptor: a callback, the events that it concerns, and what it does to them.",
            start: { GrowingInterceptorRule(name: "", callback: .eventWillBuild) },
            [
                Field("name", \.name, .text(limit: 100), "What messages call it."),
                Field("on", \.callback, .cases(what: "a callback"), required: true, "The callback."),
                Field("eventTypes", \.types, set(of: .text(limit: 100)), "Types concerned; all by default."),
                Field(
                    "eventNames", \.eventNames, set(of: .text(limit: 255)),
                    "Names (eventName) of the events concerned; all by default."),
                Field("share", \.share, .share, "Share of the events concerned."),
                Field(
                    "set", \.sets, parameters,
                    "Fields and their values: names of fields, or attributes.<key>."),
                Field("remove", \.removes, texts, "Fields that are taken out."),
                Field(
                    "drop", \.dropsEvent, .boolean, "Whether the event ends here (suppressed, intercepted)."),
                Field(
                    "copyTo", \.copyTo,
                    .identifier(
                        what: "a name", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$", others: "_-"),
                    "eventDidBuild: events are also written to copy-<name>.ndjson in the run's folder, as "
                        + "they are when they are built."),
                Field(
                    "fromTemplate", \.fromTemplate, .text(limit: 500),
                    "requestWithChannel: the urlTemplate of the channels concerned; all by default."),
                Field(
                    "toTemplate", \.toTemplate, template, "requestWithChannel: the urlTemplate used instead."),
            ]))
}
