import DeviceSDK
import KitSDK
import Timebase

/// The knobs of KitAnalysisOfUserBehavior.
enum KitFormat {
    private typealias Knob = Field<KitRules>

    /// `populations[].sdk`.
    static let description: ObjectDescription<KitRules> = .rules(
        "Rules of KitAnalysisOfUserBehavior.",
        [
            Knob(group: "storage", storage), Knob(group: "upload", upload),
            Knob(
                "typeCodes", \.typeCodes, .cases(what: "a numbering"),
                "Numbers of the controls' rows: \"source\" has 102 for slider, switch and stepper and 103 for "
                    + "any other control, \"document\" 102 to 105."),
            Knob(
                "clear", \.clear, .cases(what: "a rule"),
                "What a positive answer removes: the files of all \"other-days\", sent or not, or the files of "
                    + "the archive alone (\"sent-only\", which no version does)."),
            Knob(
                "clockSkew", \.clockSkew, .duration(.zero...(.hours(24 * 365))),
                "Standard deviation of the devices' clock errors, unless the population's \"clockSkew\" says more."
            ),
        ])

    private static let storage: ObjectDescription<KitRules> = .rules(
        "The files, one per local day, without a limit.",
        unsupported: .keys(
            ["backend", "limit", "evict", "evictFrom", "order"],
            "\"ttl\", \"maxBytes\" and \"prefill\": Kit has no other rule of this kind"),
        [
            Knob(
                "prefill", \.storage.prefill, .integer(0...1_000_000),
                "Rows that each device wrote on the day before the start."),
            Knob(
                "ttl", \.storage.ttl, PolicyForms.ttl,
                "Age, from the end of their day on, at which files are removed at a start of the app, or \"none\", as "
                    + "in every version."),
            Knob(
                "maxBytes", \.storage.maxBytes, PolicyForms.maxBytes,
                PolicyForms.maxBytesDoc(
                    "all files hold at most; then the oldest files go, and else the row that comes")),
        ])

    private static let upload: ObjectDescription<KitRules> = .rules(
        "An archive of all earlier days at each start of the app.",
        unsupported: .keys(
            [
                "batch", "maxBytes", "flushBulkSize", "flushInterval", "firstFlush", "jitter", "concurrency",
                "maxBatchesPerFlush", "immediate", "onBackground", "onLaunch", "splitOn413",
            ],
            "\"timeout\" and the knobs of retries: Kit sends the files of earlier days at each start of the app"
        ),
        [
            Knob(
                "timeout", \.upload.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a request to the last byte of its answer."),
            Knob("networks", \.upload.networks, PolicyForms.anyNetworks, PolicyForms.networksDoc),
            Knob("keepStatuses", \.upload.keeps, PolicyForms.keeps, PolicyForms.keepStatusesDoc),
        ]
            + PolicyForms.retry(
                backoff: \.upload.retry.backoff, retryAfter: \.upload.retry.heedsRetryAfter))
}
