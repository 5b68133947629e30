import CodelessSDK
import DeviceSDK
import Timebase

/// The knobs of the codeless SDK.
enum CodelessFormat {
    private typealias Knob = Field<CodelessRules>

    /// `populations[].sdk`.
    static let description: ObjectDescription<CodelessRules> = .rules(
        "Rules of the codeless SDK, as its published design has them.",
        [
            Knob(group: "storage", storage), Knob(group: "upload", upload),
            Knob(
                "retryFailedParts", \.retryFailedParts, .boolean,
                "Whether a part whose upload failed is sent again at the next tick of the timer. In the text "
                    + "it stays in memory until the process ends."),
            Knob(
                "persistEventsID", \.persistEventsID, .boolean,
                "Whether each part gets a file of its own that keeps its eventsID, so that a collector knows "
                    + "it again. In the text files have no eventsID."),
            Knob(group: "remoteConfig", remoteConfig), Knob(group: "autoTrack", autoTrack),
            Knob(
                "sessionTimeout", \.sessionTimeout, .duration(.zero...(.hours(24 * 365))),
                "An absence from the foreground after which a new session begins."),
            Knob(
                "clockSkew", \.clockSkew, .duration(.zero...(.hours(24 * 365))),
                "Standard deviation of the devices' clock errors, unless the population's \"clockSkew\" says more."
            ),
        ])

    private static let storage: ObjectDescription<CodelessRules> = .rules(
        "Events are in memory; the file is written when the process ends with notice.",
        unsupported: .keys(
            ["backend", "limit", "evict", "evictFrom", "order"],
            "prefill, ttl and maxBytes: neither the memory nor the files of the codeless SDK have a limit"),
        [
            Knob(
                "prefill", \.storage.prefill, .integer(0...10_000_000),
                "Events that each device captured before the start; they are in a file."),
            Knob(
                "ttl", \.storage.ttl, PolicyForms.ttl,
                "Age of its newest event at which a file is removed at a cold start, or \"none\", as in the text."
            ),
            Knob(
                "maxBytes", \.storage.maxBytes, PolicyForms.maxBytes,
                PolicyForms.maxBytesDoc("all files hold at most; then the oldest files go")),
        ])

    private static let upload: ObjectDescription<CodelessRules> = .rules(
        "When and how events leave.",
        unsupported: .keys(
            [
                "maxBytes", "firstFlush", "maxBatchesPerFlush", "immediate",
            ], "the other knobs of upload: the codeless SDK has no such rule"),
        [
            Knob(
                "batch", \.upload.batch, .integer(1...10_000),
                "The most events that a trigger takes from memory."),
            Knob(
                "flushBulkSize", \.upload.flushBulkSize, .integer(1...1_000_000),
                "Events in memory that trigger an upload."),
            Knob(
                "flushInterval", \.upload.flushInterval, .duration(.milliseconds(1)...(.hours(24 * 365))),
                "The timer while the app is in the foreground."),
            Knob(
                "concurrency", \.upload.concurrency, .integer(1...1000),
                "Uploads of parts at a time; further parts wait in line. The uploader of files comes on top."
            ),
            Knob(
                "timeout", \.upload.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a request to the last byte of its answer."),
            Knob("onLaunch", \.upload.onLaunch, .boolean, "Whether a cold start uploads files."),
            Knob(
                "onForeground", \.upload.onForeground, .boolean,
                "Whether coming to the foreground uploads files."),
            Knob(
                "onBackground", \.upload.onBackground, .boolean,
                "Whether entering the background uploads files."),
            Knob("jitter", \.upload.jitter, .duration(.zero...(.hours(24))), PolicyForms.jitterDoc),
            Knob("networks", \.upload.networks, PolicyForms.anyNetworks, PolicyForms.networksDoc),
            Knob("keepStatuses", \.upload.keeps, PolicyForms.keeps, PolicyForms.keepStatusesDoc),
        ]
            + PolicyForms.retry(
                backoff: \.upload.retry.backoff, retryAfter: \.upload.retry.heedsRetryAfter,
                splitOn413: \.upload.retry.splitsOn413))

    private static let remoteConfig: ObjectDescription<CodelessRules> = .rules(
        "The configuration that adds business data to events, fetched at each cold start.",
        unsupported: .keys(
            ["fetchOn", "attempts", "retryDelay", "minInterval", "maxInterval"],
            "enabled and timeout: the codeless SDK fetches once at each cold start"),
        [
            Knob("enabled", \.remoteConfig.enabled, .boolean, "Whether it is fetched at all."),
            Knob(
                "timeout", \.remoteConfig.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time for the fetch."),
        ])

    private static let autoTrack: ObjectDescription<CodelessRules> = .rules(
        "Groups of hooks.",
        [
            Knob("pages", \.autoTrack.pages, .boolean, "PageCreate, PageShow, PageHide, PageDestory."),
            Knob(
                "clicks", \.autoTrack.clicks, .boolean,
                "Controls, bars, gestures, rows of lists, alerts, React Native."),
            Knob("scrolls", \.autoTrack.scrolls, .boolean, "Scroll views."),
            Knob("webViews", \.autoTrack.webViews, .boolean, "Web views."),
        ])

    static func check(_ rules: CodelessRules, _ sdk: Place, _ reading: inout Reading) {
        guard rules.upload.batch < rules.upload.flushBulkSize,
            let place = sdk.value(at: ["upload", "batch"]) ?? sdk.value(at: ["upload", "flushBulkSize"])
        else { return }
        reading.warn(
            place.path,
            "\"batch\" is below \"flushBulkSize\": events that a trigger leaves behind wait for the next one")
    }
}
