import SDKDescription
import Timebase
import World

extension DeclaredFormat {
    static let upload = group(
        "When events are sent, and how many at once.",
        unsupported: .keys(
            ["keepStatuses", "splitOn413"], "answers: which answers keep, drop or split is the table's matter"
        )
            + .keys(["backoff", "retryAfter"], "retry.backoff and retry.retryAfter")
            + .keys(
                ["readAt", "firstFlush", "jitter"],
                "the other knobs of upload: nothing in this build acts on it"),
        triggers + [
            Knob(
                "networks", \.sdk.upload.networks, DeclaredForms.networksOrAny,
                "Networks on which it uploads, or \"any\"."),
            Knob(
                "whenOffline", \.sdk.upload.whenOffline, .cases(what: "what happens without a network"),
                "Without a network: \"try\" makes a request, which fails; \"wait\" leaves the trigger out."),
            Knob(
                "batch", \.sdk.upload.batch, DeclaredForms.orNone(.integer(1...10_000), none: "all"),
                "Events in a request, at most, or \"all\"."),
            Knob(
                "maxBytes", \.sdk.upload.maxBytes, DeclaredForms.orNone(.integer(1...1_000_000_000)),
                "Bytes of a request's events, as a JSON list before anything packs it, at most, or \"none\"."),
            Knob(
                "oversize", \.sdk.upload.oversize, .cases(what: "what becomes of a large event"),
                "An event larger than maxBytes is sent by itself (\"alone\"), or not stored (\"drop\": suppressed, "
                    + "invalid)."),
            Knob(
                "rounds", \.sdk.upload.rounds, .boolean,
                "Whether a flush reads one batch at a time, sends it in as many requests as maxBytes wants, and reads the next "
                    + "when all of them are done with; a failure beside a success among them is none."),
            Knob(
                "maxBatchesPerFlush", \.sdk.upload.batches, DeclaredForms.batches,
                "Requests after a trigger, at most, or \"all\": until the store is empty. An object says it for some "
                    + "triggers."),
            Knob(
                "concurrency", \.sdk.upload.concurrency, .integer(1...10_000),
                "Requests at once, at most; four of them have a connection, as on iOS."),
            Knob(
                "overlaps", \.sdk.upload.overlaps, .boolean,
                "Whether a trigger begins a flush beside one that is under way, each with one request at a time; else "
                    + "it is left out."),
            Knob(
                "takes", \.sdk.upload.takes, .cases(what: "rows"),
                "Whether a request takes rows that no other carries (\"idle\"), or \"all\"."),
            Knob(
                "timeout", \.sdk.upload.timeout, .duration(.milliseconds(1)...(.hours(24))),
                "Time from the start of a request to the last byte of its answer."),
        ])

    private static let triggers: [Knob] = [
        Knob(
            "flushBulkSize", \.sdk.upload.flushBulkSize, DeclaredForms.orNone(.integer(1...1_000_000)),
            "Events that set off an upload, or \"none\"."),
        Knob(
            "countOf", \.sdk.upload.countOf, .cases(what: "what is counted"),
            "What flushBulkSize counts: rows in the store, those that no request carries (\"idle\"), or events since the "
                + "last flush, in memory."),
        Knob(
            "flushInterval", \.sdk.upload.flushInterval,
            DeclaredForms.orNone(.duration(.milliseconds(100)...(.hours(24 * 30)))),
            "From one tick of the timer to the next, or \"none\"."),
        Knob(
            "timerRuns", \.sdk.upload.timerRuns, .cases(what: "a time"),
            "When the timer runs: in the foreground; there and from a user's launch on (\"fromLaunch\"); always."
        ),
        Knob(
            "onLaunch", \.sdk.upload.onLaunch, DeclaredForms.onLaunch,
            "Whether the start of the process sets off an upload; \"byUser\": not a start in the background."),
        Knob(
            "onForeground", \.sdk.upload.onForeground, .boolean,
            "Whether a return from the background sets off an upload."),
        Knob(
            "onBackground", \.sdk.upload.onBackground, .boolean,
            "Whether leaving for the background sets off an upload."),
        Knob(
            "onNetwork", \.sdk.upload.onNetwork, DeclaredForms.networks,
            "Networks whose arrival sets off an upload."),
        Knob(
            "immediate", \.sdk.upload.immediate,
            Form<[String]>.list(of: .text(limit: 500), count: 0...1000).map { names, _, _ in Set(names) },
            "Events, by their names as sent, that set off an upload."),
    ]

    static let retry = group(
        "What a failed upload changes beyond its rows.",
        [
            Knob(
                "backoff", \.backoff, .object(backoff),
                "How long no upload begins after the n-th failure in a row."),
            Knob(
                "retryAfter", \.retryAfter, .object(retryAfter), "Obedience to the header Retry-After."),
            Knob(
                "gates", \.sdk.retry.gates, .cases(what: "what waits", unsupported: ["batch"]),
                "What waits: every flush."),
            Knob(
                "wakes", \.sdk.retry.wakes, .boolean,
                "Whether the SDK tries again by itself when a wait is over; else the next trigger does."),
            Knob(
                "attempts", \.sdk.retry.attempts, DeclaredForms.orNone(.integer(0...1_000_000)),
                "How often an upload is tried again: the failure after that gives up. Or \"none\"."),
            Knob(
                "exhausted", \.sdk.retry.exhausted, .cases(what: "what giving up means"),
                "Giving up: the rows of the batch leave (rejected, retries_exhausted), \"clear\" empties the store "
                    + "with them (lost, cleared_unsent), and \"latch\" keeps all and stops."),
            Knob(
                "latch", \.sdk.retry.latch, DeclaredForms.latch,
                "What stops all uploads, and what lets them go on."),
        ])

    private static let backoff = ObjectDescription<DescribedSDK.Retry.Backoff>(
        "Waits after failures in a row.", start: { .init() },
        [
            Field(
                "shape", \.shape, .cases(what: "a shape"),
                "\"constant\": initial; \"linear\": n · initial; \"exponential\": initial · factorⁿ⁻¹."),
            Field(
                "initial", \.initial, .duration(.milliseconds(1)...(.hours(24 * 365))),
                "The wait after the first failure."),
            Field("factor", \.factor, .number(1...1000), "Of exponential waits."),
            Field(
                "max", \.longest, DeclaredForms.durationOrNone, "The longest wait, chance's part included."),
            Field(
                "jitter", \.jitter, .duration(.zero...(.hours(24))),
                "What chance adds to each wait at most, drawn evenly."),
            Field(
                "from", \.from, .integer(1...1000),
                "The first failure that is followed by a wait; those before it count all the same."),
        ])

    private static let retryAfter = ObjectDescription<DescribedSDK.Retry.RetryAfter>(
        "Obedience to the header Retry-After.", start: { .init() },
        [
            Field(
                "on", \.on, DeclaredForms.headerStatuses,
                "Answers whose header counts, those of success too: a list of statuses, or a text of statuses, hundreds "
                    + "(3xx) and * for all; by default all that are no success."),
            Field("max", \.longest, .duration(.milliseconds(1)...(.hours(24))), "The longest wait."),
            Field(
                "combine", \.combine, .cases(what: "a combination"),
                "\"max\": the longer of this wait and the back-off's; \"replace\": this one."),
        ])
}
