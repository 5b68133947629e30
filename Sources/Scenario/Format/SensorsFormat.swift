import DeviceSDK
import SensorsSDK
import Timebase
import Wire

/// The knobs of the Sensors SDK.
enum SensorsFormat {
    private typealias Knob = Field<SensorsRules>

    /// `populations[].sdk`.
    static let description: ObjectDescription<SensorsRules> = .rules(
        "Rules of the SensorsAnalytics iOS SDK. A knob is taken literally, even where the SDK's "
            + "setter would clamp it.",

        [
            Knob(group: "storage", storage), Knob(group: "upload", upload),
            Knob(
                "debugMode", \.debugMode, .cases(what: "a debug mode"),
                "debugOnly asks the collector not to store."),
            Knob(group: "remoteConfig", remoteConfig), Knob(group: "autoTrack", autoTrack),
            Knob(
                "orientation", \.collectsOrientation, .boolean, "Whether the app enabled $screen_orientation."
            ),
            Knob(
                "location", \.collectsLocation, .boolean,
                "Whether the app enabled $latitude and "
                    + "$longitude."),
            Knob("cookie", \.cookie, .text(limit: 4000), "Value of the Cookie header, if the app sets one."),
            Knob(
                "clockSkew", \.clockSkew, .duration(.zero...(.hours(24 * 365))),
                "Standard deviation of the devices' clock errors, unless the population's \"clockSkew\" says more."
            ),
        ])

    private static let storage: ObjectDescription<SensorsRules> = .rules(
        "The local store.",
        [
            Knob(
                "backend", \.storage.backend, .cases(what: "a storage backend"),
                "Where the simulation keeps the rows: in memory, or in a SQLite file per device as the SDK "
                    + "does (2000 devices at most). The ledger is the same."),
            Knob("limit", \.storage.limit, .integer(2...10_000_000), "Rows at which eviction begins."),
            Knob(
                "maxBytes", \.storage.maxBytes, PolicyForms.maxBytes,
                PolicyForms.maxBytesDoc("the store holds at most; then rows go as at the limit")),
            Knob(
                "evict", \.storage.evict, .integer(1...10_000_000),
                "Rows evicted at once, from the end that evictFrom names."),
            Knob(
                "evictFrom", \.storage.evictFrom, PolicyForms.end,
                "Which rows a full store gives up. With newest, which no version does, the event that comes is the "
                    + "first of them."),
            Knob(
                "order", \.storage.order, PolicyForms.end,
                "Which rows leave first; every version sends its oldest."),
            Knob(
                "ttl", \.storage.ttl, PolicyForms.ttl,
                "Age at which rows expire when a process opens the store, or \"none\"; no version knows one."),
            Knob(
                "staysBelowLimit", \.storage.staysBelowLimit, .boolean,
                "Whether eviction keeps the store below the limit (4.9.1) instead of at it (1.10.17)."),
            Knob(
                "evictsRowsInFlight", \.storage.evictsRowsInFlight, .boolean,
                "Whether rows of an unanswered request may be evicted."),
            Knob(
                "deleteFailureChance", \.storage.deleteFailureChance, .share,
                "Share of the store's deletions that fail."),
            Knob(
                "insertFailureChance", \.storage.insertFailureChance, .share,
                "Share of the store's inserts that fail."),
            Knob(
                "prefill", \.storage.prefill, .integer(0...10_000_000),
                "Events that each device captured before the start."),
            Knob(
                "vacuum", \.storage.vacuum, .boolean,
                "Whether entering the background ends with VACUUM (the published text; 1.10.17 only if "
                    + "compiled so)."),
        ])

    private static let upload: ObjectDescription<SensorsRules> = .rules(
        "When and how rows leave.",
        unsupported: .keys(
            ["maxBytes", "firstFlush"], "batch and flushInterval: the Sensors SDK has no such rule"),
        [
            Knob("batch", \.upload.batch, .integer(1...10_000), "Events per request; 1 in debug mode."),
            Knob(
                "flushBulkSize", \.upload.flushBulkSize, .integer(1...10_000_000),
                "Rows that trigger an upload."),
            Knob(
                "flushesAboveBulkSize", \.upload.flushesAboveBulkSize, .boolean,
                "Whether more rows than flushBulkSize are needed (4.9.1) or as many (1.10.17)."),
            Knob(
                "flushInterval", \.upload.flushInterval, .duration(.milliseconds(1)...(.hours(24 * 365))),
                "The timer while the app is in the foreground."),
            Knob("jitter", \.upload.jitter, .duration(.zero...(.hours(24))), PolicyForms.jitterDoc),
            Knob("networks", \.upload.networks, PolicyForms.networks, "Networks on which the SDK uploads."),
            Knob(
                "triesWithoutNetwork", \.upload.triesWithoutNetwork, .boolean,
                "Whether uploads are tried without any network, and in 1.10.17 on 5G, which it does not know."
            ),
            Knob(
                "concurrency", \.upload.blocksTracking, concurrency,
                "1: one request at a time, and events wait in memory behind it; \"unlimited\": "
                    + "every flush uploads."
            ),
            Knob("maxBatchesPerFlush", \.upload.maxBatchesPerFlush, batches, "Requests of one flush."),
            Knob("immediate", \.upload.immediate, names, "Events that are uploaded at once."),
            Knob(
                "instant", \.upload.instant, names,
                "Events of the app that are uploaded at once in requests of their own with "
                    + "instant_event=true (instantEvents); 4.9.1 alone."),
            Knob("onBackground", \.upload.onBackground, .boolean, "Whether entering the background uploads."),
            Knob("onLaunch", \.upload.onLaunch, .boolean, "Whether each $AppStart uploads."),
            Knob(
                "timeout", \.upload.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a request to the last byte of its answer."),
            Knob(
                "compression", \.upload.compression, .cases(what: "an effort"),
                "How hard the generator compresses. Bodies are gzip in any case; default is about as small as "
                    + "the SDK's own, fast up to a quarter larger for more load from a core."),
            Knob(
                "keepStatuses", \.upload.keeps, PolicyForms.keeps,
                "Answers after which rows are kept: \"notSuccess\" (all from 300 on), or a list of statuses "
                    + "in which \"5xx\" stands for all from 500 to 599."),
            Knob(
                "bodyFailureChance", \.upload.bodyFailureChance, .share,
                "Share of the requests whose body cannot be built: 1.10.17 deletes their rows unsent, 4.9.1 "
                    + "leaves them until the next start."),
        ]
            + PolicyForms.retry(
                backoff: \.upload.retry.backoff, retryAfter: \.upload.retry.heedsRetryAfter,
                splitOn413: \.upload.retry.splitsOn413))

    private static let remoteConfig: ObjectDescription<SensorsRules> = .rules(
        "Fetching of the remote configuration.",
        [
            Knob("enabled", \.remoteConfig.enabled, .boolean, "Whether it is fetched at all."),
            Knob("fetchOn", \.remoteConfig.fetchOn, .cases(what: "a moment"), "When it is fetched."),
            Knob(
                "timeout", \.remoteConfig.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time for one fetch."),
            Knob("attempts", \.remoteConfig.attempts, .integer(1...1000), "Tries in all."),
            Knob(
                "retryDelay", \.remoteConfig.retryDelay, .duration(.milliseconds(1)...(.hours(24 * 365))),
                "Time between two tries."),
            Knob(
                "minInterval", \.remoteConfig.minimumInterval, .duration(.zero...(.hours(24 * 365))),
                "The shortest time to the next fetch; the time is drawn anew for each."),
            Knob(
                "maxInterval", \.remoteConfig.maximumInterval, .duration(.zero...(.hours(24 * 365))),
                "The longest time to the next fetch."),
        ])

    private static let autoTrack: ObjectDescription<SensorsRules> = .rules(
        "Preset events that the app switched on; the remote configuration may override.",
        [
            Knob("start", \.autoTrack.start, .boolean, "$AppStart."),
            Knob("end", \.autoTrack.end, .boolean, "$AppEnd."),
            Knob("click", \.autoTrack.click, .boolean, "$AppClick."),
            Knob("viewScreen", \.autoTrack.viewScreen, .boolean, "$AppViewScreen."),
        ])

    // MARK: Forms of this system

    private static let names: Form<Set<String>> = Form<[String]>.list(of: .text(limit: 255), count: 0...1000)
        .map(
            { names, _, _ in Set(names) }, encode: { .texts($0.sorted()) })

    private static let concurrency: Form<Bool> = .integer(
        1...1, or: "unlimited", is: false, make: { _ in true },
        encode: { $0 ? .int(1) : .text("unlimited") })

    private static let batches: Form<Int> = .integer(
        1...1_000_000_000, or: "unlimited", is: .max, make: { $0 },
        encode: { $0 == .max ? .text("unlimited") : .int($0) })
}
