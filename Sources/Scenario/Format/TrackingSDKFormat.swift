import DeviceSDK
import Timebase
import TrackingSDK

/// The knobs of TrackingSDK.
enum TrackingSDKFormat {
    private typealias Knob = Field<TrackingSDKRules>

    /// `populations[].sdk`.
    static let description: ObjectDescription<TrackingSDKRules> = .rules(
        "Rules of TrackingSDK, as the published text prints it.",
        [
            Knob(
                "clear", \.clear, .cases(what: "what a positive answer clears"),
                "What a positive answer removes from the file: \"all\" of it, as the text has it, or the "
                    + "events that the request carried (\"sent-only\", the corrected SDK)."),
            Knob(group: "storage", storage), Knob(group: "upload", upload),
            Knob(group: "autoTrack", autoTrack),
            Knob(
                "clockSkew", \.clockSkew, .duration(.zero...(.hours(24 * 365))),
                "Standard deviation of the devices' clock errors, unless the population's \"clockSkew\" says more."
            ),
        ])

    private static let storage: ObjectDescription<TrackingSDKRules> = .rules(
        "The file with all events that were not acknowledged.",
        unsupported: .keys(
            ["backend", "limit", "evict", "evictFrom", "order"],
            "prefill, ttl and maxBytes: the file of TrackingSDK is one list without any limit"),
        [
            Knob(
                "prefill", \.storage.prefill, .integer(0...10_000_000),
                "Events that each device captured before the start."),
            Knob(
                "ttl", \.storage.ttl, PolicyForms.ttl,
                "Age at which events leave the file when a process starts, or \"none\", as in the text."),
            Knob(
                "maxBytes", \.storage.maxBytes, PolicyForms.maxBytes,
                PolicyForms.maxBytesDoc("the file holds at most; then its oldest go")),
        ])

    private static let upload: ObjectDescription<TrackingSDKRules> = .rules(
        "Each event uploads the whole file.",
        unsupported: .keys(
            [
                "batch", "maxBytes", "flushBulkSize", "flushInterval", "firstFlush", "jitter",
                "maxBatchesPerFlush", "immediate", "onBackground", "onLaunch", "splitOn413",
            ],
            "the other knobs of upload: TrackingSDK uploads everything at each event and knows no such rule"),
        [
            Knob(
                "success", \.upload.success, .cases(what: "a rule for answers"),
                "Which answers are positive: exactly \"200\", as the text has it, or all of \"2xx\"."),
            Knob(
                "timeout", \.upload.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a request to the last byte of its answer; URLSession's default."),
            Knob(
                "sockets", \.upload.sockets, .integer(1...100),
                "Connections that the device's URLSession opens to one host; further requests wait in it. With a "
                    + "target whose \"http\" is \"2\" one connection carries all, and none waits."),
            Knob(
                "concurrency", \.upload.concurrency, PolicyForms.concurrency,
                "Uploads at a time: an event that finds as many under way begins none, and one upload follows when "
                    + "one of them has ended. \"unlimited\", as in the text: each event begins one."),
            Knob("networks", \.upload.networks, PolicyForms.anyNetworks, PolicyForms.networksDoc),
            Knob("keepStatuses", \.upload.keeps, PolicyForms.keeps, PolicyForms.keepStatusesDoc),
        ]
            + PolicyForms.retry(
                backoff: \.upload.retry.backoff, retryAfter: \.upload.retry.heedsRetryAfter))

    private static let autoTrack: ObjectDescription<TrackingSDKRules> = .rules(
        "What the swizzled methods track.",
        [
            Knob("pageView", \.autoTrack.pageView, .boolean, "PageView after viewDidAppear:."),
            Knob(
                "buttonClick", \.autoTrack.buttonClick, .boolean,
                "ButtonClick after sendAction:to:forEvent: with a touch."),
            Knob(
                "withoutEvent", \.autoTrack.withoutEvent, .boolean,
                "Whether actions without an event count as touches, as those of switches and steppers do in "
                    + "the code that the text prints."),
        ])
}
