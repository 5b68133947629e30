import DeviceSDK
import GrowingSDK
import Timebase

/// The knobs of the GrowingIO SDK.
enum GrowingFormat {
    private typealias Knob = Field<GrowingRules>

    /// `populations[].sdk`.
    static let description: ObjectDescription<GrowingRules> = .rules(
        "Rules of the GrowingIO iOS SDK. A knob is taken literally, even where the SDK's setter would clamp "
            + "it.",
        [
            Knob("shell", \.shell, .cases(what: "a shell"), "tracker, or autotracker with pages and clicks."),
            Knob(group: "modules", modules), Knob(group: "services", services),
            Knob(
                "buildFlags", \.buildFlags, GrowingForms.set(of: .cases(what: "a build flag")),
                "Options of the pod. ENABLE_ENCRYPTION turns LZ4 and XOR on, in document off, as its table has "
                    + "it, and is unknown to 4.11.0; DISABLE_IDFA leaves idfa out."),
        ] + configuration + [
            Knob(group: "autotrack", autotrack), Knob(group: "storage", storage),
            Knob(group: "upload", upload),
            Knob(
                "channels", \.channels, .list(of: GrowingForms.channel, count: 0...28),
                "Channels that an interceptor adds to the version's own (3.x). Answers mean the same for all: "
                    + "200 to 299 delete, everything else keeps."),
            Knob(
                "events", \.events, .list(of: GrowingForms.ownEvent, count: 0...50),
                "Types of events that the app adds."),
            Knob(
                "interceptors", \.interceptors, .list(of: GrowingForms.interceptor, count: 0...50),
                "Interceptors; their order is drawn anew for each process."),
            Knob(
                "clockSkew", \.clockSkew, .duration(.zero...(.hours(24 * 365))),
                "Standard deviation of the devices' clock errors, unless the population's \"clockSkew\" says more."
            ),
        ])

    private static let configuration: [Field<GrowingRules>] = [
        Knob(
            "accountId", \.accountId, .text(limit: 200),
            "The account, where the target's path does not tell it (v3/projects/{account}/collect)."),
        Knob(
            "dataSourceId", \.dataSourceId, .text(limit: 200, mayBeEmpty: true),
            "dataSourceId of events; empty leaves it out, as 3.2.1 does."),
        Knob("urlScheme", \.urlScheme, .text(limit: 200, mayBeEmpty: true), "urlScheme of events."),
        Knob("sdkVersion", \.sdkVersion, .text(limit: 50), "sdkVersion of events."),
        Knob(
            "dataCollectionEnabled", \.dataCollectionEnabled, .boolean,
            "Whether anything is collected at all; events are suppressed (consent) otherwise."),
        Knob(
            "excludeEvents", \.excludedEvents, GrowingForms.set(of: .text(limit: 100)),
            "Types of events that are not built (excludeEvent); they are suppressed (blacklisted)."),
        Knob(
            "ignoreFields", \.ignoredFields, GrowingForms.ignoredFields,
            "Fields that events leave out (ignoreField)."),
        Knob(
            "debugEnabled", \.debugEnabled, .boolean,
            "Sends after every event: 3.2.1 always, 4.11.0 only with debugBuild."),
        Knob("debugBuild", \.debugBuild, .boolean, "Whether the SDK itself was compiled for debugging."),
        Knob("idMappingEnabled", \.idMappingEnabled, .boolean, "Whether userKey is sent beside userId."),
        Knob(
            "useProtobuf", \.usesProtobuf, .boolean,
            "Bodies of Protocol Buffers; JSON otherwise. The second protocol's channels are JSON in any case."
        ),
        Knob(
            "customEventWithPath", \.customEventWithPath, .boolean,
            "4.11.0: whether CUSTOM carries the path of the last PAGE of the process, or / before the first."),
        Knob("location", \.collectsLocation, .boolean, "Whether the app hands its location to the SDK."),
        Knob(
            "sessionInterval", \.sessionInterval, .duration(.zero...(.hours(24 * 365))),
            "Time in the background after which a new session begins, with a VISIT."),
    ]

    private static let modules: ObjectDescription<GrowingRules> = .rules(
        "Modules beside those of the shell. mobileDebugger and webCircle only speak to WebSockets: they are "
            + "accepted, and nothing of them is simulated.",
        [
            Knob(
                "add", \.modules.added, GrowingForms.set(of: .cases(what: "a module")),
                "Modules that the shell does not bring along."),
            Knob(
                "remove", \.modules.removed, GrowingForms.set(of: .cases(what: "a module")),
                "Modules of the shell that are left out."),
        ])

    private static let services: ObjectDescription<GrowingRules> = .rules(
        "Implementations of the SDK's services.",
        [
            Knob(
                "compression", \.services.compression, .cases(what: "a compression"),
                "lz4 (X-Compress-Codec: 3), snappy (2) or none; by default none, with ENABLE_ENCRYPTION lz4; "
                    + "document: lz4, with ENABLE_ENCRYPTION none. 4.x: compressEnabled."),
            Knob(
                "encryption", \.services.encryption, .cases(what: "an encryption"),
                "xor (X-Crypt-Codec: 1), aes (2: AES-128, CBC, PKCS #7, the initialization vector is the "
                    + "lowest byte of stm sixteen times) or none; by default none, with ENABLE_ENCRYPTION xor; "
                    + "document: xor, with ENABLE_ENCRYPTION none."
            ),
            Knob(
                "aesKey", \.services.aesKey, GrowingForms.aesKey,
                "The key of aes: sixteen characters of ASCII."),
            Knob(
                "network", \.services.network, GrowingForms.presence,
                "default, or none: without a network service nothing is ever sent."),
            Knob(
                "database", \.services.database, GrowingForms.presence,
                "default, or none: without a database service custom events are lost (storage_error), and in "
                    + "4.11.0 all; 3.2.1 and document send the others from their queue in memory, which an answer "
                    + "empties of whatever else is in it."),
        ])

    private static let autotrack: ObjectDescription<GrowingRules> = .rules(
        "What the autotracker captures by itself.",
        [
            Knob("enabled", \.autotrack.enabled, .boolean, "Whether it captures anything."),
            Knob(
                "pages", \.autotrack.pages, GrowingForms.pages,
                "\"all\" view controllers send PAGE, or those of an object of classes and aliases. 4.11.0 has "
                    + "an empty list by default: no PAGE at all. 3.x has no such list."),
        ])

    private static let storage: ObjectDescription<GrowingRules> = .rules(
        "The two stores, timing and realtime (custom events).",
        unsupported: .keys(
            ["backend", "limit", "evict", "evictFrom", "order"],
            "ttl, maxBytes and prefill: GrowingIO's stores are bounded by age alone"),
        [
            Knob(
                "writeBuffer", \.storage.writeBuffer, .integer(1...1_000_000),
                "Operations on the timing store at which all that wait in memory are written; a kill loses "
                    + "what waits."),
            Knob(
                "realtimeWriteBuffer", \.storage.realtimeWriteBuffer, .integer(0...1_000_000),
                "The same for the realtime store; 0 and 1 write each operation at once."),
            Knob(
                "ttl", \.storage.ttl, PolicyForms.ttl,
                "Age at which rows expire when the store is opened at a start (4.x: dataValidityPeriod), or "
                    + "\"none\", which no version knows."),
            Knob(
                "maxBytes", \.storage.maxBytes, PolicyForms.maxBytes,
                PolicyForms.maxBytesDoc("each of the two holds at most; then its oldest go")),
            Knob(
                "queueLimit", \.storage.queueLimit, GrowingForms.limit,
                "3.x: rows that are loaded into the queue in memory; \"none\": rows are read from the store."),
            Knob(
                "queueRefill", \.storage.queueRefill, .integer(0...10_000_000),
                "3.x: events in the queue at which it is loaded anew."),
            Knob(
                "prefill", \.storage.prefill, .integer(0...10_000_000),
                "Events that each device captured before the start, 30 s apart."),
            Knob(
                "deleteFailureChance", \.storage.deleteFailureChance, .share,
                "Share of the transactions with deletions that fail."),
            Knob(
                "insertFailureChance", \.storage.insertFailureChance, .share,
                "Share of the transactions with insertions that fail part-way."),
        ])

    private static let upload: ObjectDescription<GrowingRules> = .rules(
        "When and how rows leave.",
        unsupported: .keys(
            [
                "flushBulkSize", "maxBatchesPerFlush", "immediate", "onLaunch",
            ], "the other knobs of upload: GrowingIO has no such rule"),
        [
            Knob("batch", \.upload.batch, .integer(1...10_000), "Events per request."),
            Knob(
                "maxBytes", \.upload.maxBytes, GrowingForms.limit,
                "Stored bytes that a request stays below, or \"none\" (3.x)."),
            Knob(
                "concurrency", \.upload.concurrency, .integer(1...100),
                "Uploads of a channel at a time, each with events of its own; every version has one."),
            Knob(
                "firstFlush", \.upload.firstFlush, .duration(.zero...(.hours(24 * 365))),
                "The timer's first tick, from the start of the process."),
            Knob(
                "flushInterval", \.upload.flushInterval, .duration(.milliseconds(1)...(.hours(24 * 365))),
                "The timer (dataUploadInterval)."),
            Knob(
                "jitter", \.upload.jitter, .duration(.zero...(.hours(24))),
                "How late a tick may be; the SDK allows the system 1 s."),
            Knob(
                "networks", \.upload.networks, PolicyForms.networks,
                "Networks on which anything is uploaded, before policies and cellularLimit have their say."),
            Knob(
                "whileInBackground", \.upload.whileInBackground, .boolean,
                "Whether ticks go on in the background, where iOS suspends the process."),
            Knob("onBackground", \.upload.onBackground, .boolean, "Whether entering the background uploads."),
            Knob(
                "timeout", \.upload.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a request to the last byte of its answer."),
            Knob(
                "cellularLimit", \.upload.cellularLimit, .integer(0...1_000_000_000_000),
                "Bytes of bodies per local day over cellular networks, before only instant events go."),
            Knob(
                "policies", \.upload.policies, GrowingForms.policies,
                "Policies by type of event: instant, mobile or wifi."),
            Knob(
                "keepStatuses", \.upload.keeps, PolicyForms.keeps,
                "Answers after which rows are kept: \"notSuccess\" (all but 2xx), or a list of statuses in "
                    + "which \"5xx\" stands for all from 500 to 599."),
        ]
            + PolicyForms.retry(
                backoff: \.upload.retry.backoff, retryAfter: \.upload.retry.heedsRetryAfter,
                splitOn413: \.upload.retry.splitsOn413))
}
