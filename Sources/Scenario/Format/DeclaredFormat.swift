import DeclaredSDK
import SDKDescription
import Timebase
import Wire

/// The knobs of an SDK that is described.
enum DeclaredFormat {
    typealias Knob = Field<DeclaredDraft>

    static func group(
        _ doc: String, unsupported: [UnsupportedKey] = [], _ fields: [Knob]
    ) -> ObjectDescription<DeclaredDraft> {
        ObjectDescription(doc, start: { DeclaredDraft() }, unsupported: unsupported, fields)
    }

    /// The system of all described SDKs. Its versions are the presets' names with their versions.
    static let system = SystemFormat(
        name: DeclaredRules.systemName, versions: SDKPreset.all.map(\.label), shape: written.shape,
        schema: { removable(written.schema(&$0)) }, change: { DescriptionReader.change($0, &$1) }
    ) { version, sdk, population, reading in
        guard sdk != nil || version != nil else {
            reading.report(
                .missingKey, population, found: "no key \"sdk\"",
                allowed: "a description, or {\"preset\": …} with one of: " + quotedList(SDKPreset.names))
            return nil
        }
        let place = sdk ?? Place(node: .object([]), path: population.path.appending("sdk"))
        if sdk == nil, let version, !SDKPreset.all.contains(where: { $0.label == version.value }) {
            reading.reportUnknown(
                version.value, version.place, among: SDKPreset.all.map(\.label),
                what: "a preset with its version")
            return nil
        }
        return DescriptionReader.read(place, version: version, &reading).map { DeclaredRules($0) }
    }

    /// A schema whose keys, and those of the objects in it, may be `null` too: that takes a key of a preset away.
    private static func removable(_ schema: JSONNode) -> JSONNode {
        guard case .object(let members) = schema.content else { return schema }
        let changed = members.map { member in
            var member = member
            switch (member.key, member.value.content) {
            case ("properties", .object(let keys)):
                member.value.content = .object(
                    keys.map { .init($0.key, orNull(removable($0.value)), keyPosition: $0.keyPosition) })
            // The members of a map, such as a preset's headers, can be taken away too.
            case ("additionalProperties", .object): member.value = orNull(removable(member.value))
            case ("anyOf", .array(let forms)): member.value.content = .array(forms.map(removable))
            default: break
            }
            return member
        }
        return JSONNode(.object(changed))
    }

    private static func orNull(_ schema: JSONNode) -> JSONNode {
        guard case .object(var members) = schema.content else { return schema }
        if let index = members.firstIndex(where: { $0.key == "$ref" }) {
            let reference = JSONNode(.object([members.remove(at: index)]))
            return JSONNode(
                .object(members + [.init("anyOf", .list([reference, .object([("type", .text("null"))])]))]))
        }
        for index in members.indices {
            switch (members[index].key, members[index].value.content) {
            case ("type", .string(let type)): members[index].value = .texts([type, "null"])
            case ("enum", .array(let names)): members[index].value = .list(names + [.null])
            case ("anyOf", .array(let forms)):
                members[index].value = .list(forms + [.object([("type", .text("null"))])])
            default: break
            }
        }
        return JSONNode(.object(members))
    }

    /// A description as scenarios write it: what they change of a preset, or all of it.
    static let written = ObjectDescription(
        description.doc, start: description.start, unsupported: description.unsupported,
        [
            Knob(
                "preset", \.sdk.name, .name(SDKPreset.names.map { ($0, $0) }, what: "a preset"),
                "A published SDK whose description this changes: objects are merged, null takes a key away, "
                    + "everything else is replaced."),
            Knob(
                "file", \.sdk.name, .text(),
                "A file whose description this changes, in the same way; a relative name begins at the scenario's "
                    + "folder."),
        ] + description.fields)

    /// A whole description, with the preset's part merged in.
    static let description = group(
        "An SDK that is described: what it captures, how it stores and sends that, and what answers do.",
        unsupported: .keys(
            ["debugMode"], "no such knob for a described SDK")
            + .keys(["remoteConfig"], "config: what a described SDK fetches, and what that turns"),
        [
            Knob("name", \.sdk.name, .text(limit: 100), "The product and its platform."),
            Knob("version", \.sdk.version, .text(limit: 40), "The version that the description follows."),
            Knob(
                "notes", \.notes,
                .list(of: .text(limit: DescribedSDK.noteLength), count: 0...DescribedSDK.noteLimit),
                "What somebody who reads the description should know; nothing acts on it."),
            Knob(
                "consts", \.constants, .map(of: .text(mayBeEmpty: true), count: 0...200),
                "Texts with names, for which {{name}} stands in every template."),
            Knob(group: "identity", identity), Knob(group: "storage", storage), Knob(group: "upload", upload),
            Knob(group: "request", request),
            Knob(
                "lanes", \.lanes, .map(of: .object(lane), count: 0...20),
                "Further ways of events to the collector, by name: queues with requests of their own, which a flush takes "
                    + "one after the other, after the main one."),
            Knob("answers", \.sdk.answers, DeclaredForms.answers, DeclaredForms.answersDoc),
            Knob(group: "retry", retry),
            Knob(
                "config", \.configs, .list(of: .object(config), count: 0...20),
                "Configurations that the SDK fetches, and what they turn."),
            Knob(
                "consent", \.consent, .object(consent),
                "What the SDK does for users who have not consented, which the timeline's entries for \"device\" say; "
                    + "without this group it asks nobody."),
            Knob(group: "events", events),
        ])

    private static let identity = group(
        "Who a device says that it is.",
        [
            Knob(
                "anonymous", \.sdk.identity.anonymous, .cases(what: "a kind of id"),
                "{{anonymousId}}: a random UUID, one that begins with its time, 16 hexadecimal digits, or the device's "
                    + "own, which no logout changes."),
            Knob(
                "prefix", \.sdk.identity.prefix, .text(limit: 100, mayBeEmpty: true),
                "What stands before the anonymous id where {{distinctId}} is it."),
            Knob(
                "login", \.sdk.identity.login, .cases(what: "what a login changes"),
                "What a login changes: with \"distinctId\" {{userId}} is there and {{distinctId}} is it, with "
                    + "\"userId\" {{distinctId}} stays the anonymous one."),
            Knob(
                "logout", \.sdk.identity.logout, .cases(what: "what a logout changes"),
                "What a logout changes: the user goes, and with \"newAnonymous\" the anonymous id too."),
            Knob(
                "logoutDeletes", \.sdk.identity.logoutDeletes, .boolean,
                "Whether a logout deletes all rows of the store (lost, cleared_unsent)."),
            Knob(group: "session", session),
        ])

    private static let session = group(
        "What the SDK calls a session.",
        [
            Knob(
                "id", \.sdk.identity.session.id, .cases(what: "a kind of id"),
                "How {{session.id}} looks: \"ms\" is the time of its start, which sessions of two devices may share; "
                    + "\"secondsRandom8\" is its second with eight random digits."),
            Knob(
                "idle", \.sdk.identity.session.idle, .duration(.zero...(.hours(24 * 365))),
                "A session is over when nothing was captured for longer than this."),
            Knob(
                "renewsAt", \.sdk.identity.session.renewsAt, .cases(what: "a moment"),
                "When it is asked whether the session is over: at each event, or at each return to the foreground."
            ),
            Knob(
                "max", \.sdk.identity.session.longest, DeclaredForms.durationOrNone,
                "The longest that a session lasts, or \"none\"."),
            Knob(
                "survives", \.sdk.identity.session.survives, .boolean,
                "Whether a new process goes on with the session of the one before."),
        ])

    private static let storage = group(
        "Where events wait.",
        unsupported: .keys(
            ["next"],
            "limit, maxBytes, persist, evict, evictFrom, evictAt, order, ttl, removeBy, seal: nothing in this build acts on it"
        ),
        [
            Knob(
                "backend", \.sdk.storage.backend, .cases(what: "a backend"),
                "\"memory\" is gone with the process; \"file\" has a file for each event; \"sqlite\" has one for all, "
                    + "which a damaged disk takes as a whole."),
            Knob(
                "persist", \.sdk.storage.persist, .cases(what: "a moment"),
                "When the store is written where it outlives the process: \"each\" event at once; or all of it, when the "
                    + "app leaves for the background and whenever rows have left after an answer or a failure."
            ),
            Knob(
                "limit", \.sdk.storage.limit, DeclaredForms.orNone(.integer(1...10_000_000)),
                "Rows at most, or \"none\"."),
            Knob(
                "maxBytes", \.sdk.storage.maxBytes, DeclaredForms.orNone(.integer(1...1_000_000_000)),
                "Bytes of all rows' JSON, at most, or \"none\": rows give way as with limit."),
            Knob(
                "evict", \.sdk.storage.evict, .integer(1...10_000_000),
                "Rows that leave at once when there is no room."),
            Knob(
                "evictFrom", \.sdk.storage.evictFrom, .cases(what: "an end of the store"),
                "Which rows leave when there is no room."),
            Knob(
                "evictAt", \.sdk.storage.evictAt, .cases(what: "a moment"),
                "When room is made: before an event is stored, or when a flush begins."),
            Knob(
                "order", \.sdk.storage.order, .cases(what: "an end of the store"),
                "Which rows are sent first."),
            Knob(
                "ttl", \.sdk.storage.ttl, PolicyForms.ttl,
                "Age from which on rows leave when a flush begins, or \"none\"."),
            Knob(
                "removeBy", \.sdk.storage.removeBy, .cases(what: "a way to remove rows"),
                "What a final answer removes: the rows that the request carried (\"id\"), or as many from the front "
                    + "of the store (\"position\"), which are others where rows have left meanwhile."),
            Knob(
                "seal", \.sdk.storage.seal, DeclaredForms.seal,
                "Batches that are fixed in the store, files: each flush closes the open one, and a file is sent as it "
                    + "is until it leaves. \"none\": each request takes rows anew."),
            Knob(
                "prefill", \.sdk.storage.prefill, .integer(0...10_000_000),
                "Events that each device captured before the start."),
        ])

    private static let events = ObjectDescription<DeclaredDraft>(
        "What is captured, and how an event looks. An action that is missing is not captured.",
        start: { DeclaredDraft() },
        unsupported: .keys(["every"], "the actions of users: nothing in this build captures by a clock"),
        [
            Knob("id", \.sdk.events.id, .cases(what: "a kind of id"), "How {{id}} looks, an event's own id."),
            Knob(
                "tag", \.sdk.events.tag, DeclaredForms.pointer,
                "The place of the harness's id (bs_id) in an event."),
            Knob(
                "key", \.sdk.events.key, .list(of: DeclaredForms.requiredPointer, count: 1...20),
                "Places whose values together name an event that carries no bs_id."),
            Knob("common", \.common, DeclaredForms.template, "The envelope of every event."),
            Knob(
                "firstForeground", \.sdk.events.firstForeground,
                .list(of: .cases(what: "an action"), count: 0...5),
                "Actions that are captured when the app comes to the foreground for the first time after a start in the "
                    + "background, in place of reopen and foreground."),
        ]
            + DescribedSDK.Action.allCases.map { action in
                Knob(
                    action.rawValue, \.actions[action], actionSchema,
                    "The event that \(action.rawValue) makes.")
            })

    /// All actions are described alike, so the schema has one part for them.
    private static let actionSchema: Form<ActionDraft> = {
        var form = Form.object(actionForm)
        let written = form.schema
        form.schema = { removable(written(&$0)) }
        return form.named("sdk-action")
    }()

    /// What is captured along with an action: the app's code would say something more of the others.
    private static let along = Form<[DescribedSDK.Action]>.list(
        of: .name(
            DescribedSDK.Action.allCases.filter { !$0.hasProperties }.map { ($0.rawValue, $0) },
            what: "an action of the app or the system"), count: 0...5)

    private static let actionForm = ObjectDescription<ActionDraft>(
        "An event that an action makes.", start: { ActionDraft() },
        [
            Field(
                "name", \.name, DeclaredForms.textTemplate,
                "{{name}}; {{event}} is the app's own name for it."),
            Field(
                "lane", \.lane, Form<String>.text(limit: 100).located,
                "The lane that the event takes; by default the main one."),
            Field(
                "properties", \.properties, DeclaredForms.template,
                "{{properties}}; in here it stands for what the app's code hands over."),
            Field(
                "fields", \.fields, DeclaredForms.template,
                "What the envelope has beside the common one or in its place; null takes a key away."),
            Field("off", \.isOff, .boolean, "Whether the action is not captured."),
            Field(
                "before", \.before, along,
                "Actions whose events are captured before this one's: \"screenEnd\" where there was a screen, "
                    + "\"background\" where the app is in the foreground."),
            Field(
                "after", \.after, along,
                "Actions whose events are captured after this one's, in the same way."),
        ])
}
