import DeviceSDK
import Timebase
import Wire
import World

/// The knobs of an SDK's own policy that several systems have, each described once.
enum PolicyForms {
    /// `upload.backoff` and `upload.retryAfter`.
    static func retry<Rules>(
        backoff: any WritableKeyPath<Rules, RetryPolicy.Backoff?> & Sendable,
        retryAfter: any WritableKeyPath<Rules, Bool> & Sendable
    ) -> [Field<Rules>] {
        [
            Field(
                "backoff", backoff, Self.backoff,
                "How long no upload begins after one that did not succeed: \"none\", or waits that grow with each "
                    + "failure in a row. When a wait is over, the SDK tries again by itself while the app is in the "
                    + "foreground. No version does so."),
            Field(
                "retryAfter", retryAfter, .boolean,
                "Whether no upload begins before the time that a 429 or 503 asks for with Retry-After; no version "
                    + "does so. Which rows are kept is keepStatuses' matter."),
        ]
    }

    /// The same, and `upload.splitOn413` where requests can be made smaller.
    static func retry<Rules>(
        backoff: any WritableKeyPath<Rules, RetryPolicy.Backoff?> & Sendable,
        retryAfter: any WritableKeyPath<Rules, Bool> & Sendable,
        splitOn413: any WritableKeyPath<Rules, Bool> & Sendable
    ) -> [Field<Rules>] {
        retry(backoff: backoff, retryAfter: retryAfter) + [
            Field(
                "splitOn413", splitOn413, .boolean,
                "Whether requests carry half as many events after a 413, until the process ends; an event that is "
                    + "refused alone is dropped (rejected, 413). No version does so.")
        ]
    }

    /// `upload.backoff`.
    static let backoff: Form<RetryPolicy.Backoff?> = .either(
        [
            (.string, .name([("none", nil)], what: "an object with \"initial\", or the name")),
            (
                .object,
                Form<RetryPolicy.Backoff>.object(waits).map { waits, place, reading in
                    guard waits.limit < waits.initial,
                        reading.isSound([["initial"], ["max"]], of: place)
                    else { return .some(waits) }
                    reading.report(
                        .conflict, place, found: "initial \(waits.initial.text), max \(waits.limit.text)",
                        allowed: "\"max\" not below \"initial\"")
                    return nil
                }
            ),
        ], allowed: "\"none\", or an object with keys of: \"initial\", \"factor\", \"max\", \"jitter\"",
        encode: { $0 == nil ? .text("none") : nil })

    private static let waits = ObjectDescription<RetryPolicy.Backoff>(
        "Waits after failures in a row.", start: RetryPolicy.Backoff.init,
        [
            Field(
                "initial", \.initial, .duration(.milliseconds(1)...(.hours(24 * 365))),
                "The wait after the first failure."),
            Field(
                "factor", \.factor, .number(1...1000), "By how much each wait is longer than the one before."),
            Field("max", \.limit, .duration(.milliseconds(1)...(.hours(24 * 365))), "The longest wait."),
            Field(
                "jitter", \.jitter, .share,
                "The share of each wait that chance may take away: 0 waits exactly, 1 anywhere between nothing and "
                    + "the full time."),
        ])

    /// `upload.keepStatuses`.
    static let keeps: Form<KeepRule> = .either(
        [
            (.string, .name([("notSuccess", .notSuccess)], what: "an array of statuses, or the rule")),
            (.array, statuses),
        ], allowed: "\"notSuccess\" or an array of statuses",
        encode: { rule in
            switch rule {
            case .notSuccess: .text("notSuccess")
            case .serverErrors(let others): .list(others.sorted().map { .int(Int($0)) } + [.text("5xx")])
            case .listed(let statuses): .list(statuses.sorted().map { .int(Int($0)) })
            }
        })

    /// One member of `keepStatuses`; 0 stands for all of 5xx.
    private static let status: Form<Int> = .either(
        [(.number, .integer(300...599)), (.string, .name([("5xx", 0)], what: "a group of statuses"))],
        allowed: "a status that is no success, from 300 to 599, or \"5xx\"")

    private static let statuses: Form<KeepRule> = Form<[Int]>.list(of: status, count: 0...500).map {
        statuses, _, _ in
        let listed = Set(statuses.filter { $0 > 0 }.map { UInt16($0) })
        return statuses.contains(0) ? .serverErrors(and: listed) : .listed(listed)
    }

    /// `upload.networks`.
    static let networks: Form<Set<NetworkKind>> = Form<[NetworkKind]>.list(
        of: NetworkForm.usableKind, count: 0...5, what: "networks such as \"wifi\" or \"4g\""
    ).map(
        { kinds, _, _ in Set(kinds) },
        encode: { kinds in .texts(kinds.sorted { $0.rawValue < $1.rawValue }.map(\.name)) })

    /// `upload.networks` of a system that does not ask for the network.
    static let anyNetworks: Form<Set<NetworkKind>?> = .either(
        [
            (.string, .name([("any", nil)], what: "a choice of networks")),
            (.array, networks.map { kinds, _, _ in .some(kinds) }),
        ], allowed: "\"any\" or an array of networks",
        encode: { $0.map { networks.encode($0) ?? .list([]) } ?? .text("any") })

    /// `storage.ttl`.
    static let ttl: Form<Interval?> = .either(
        [
            (
                .string,
                Form<Interval?>(
                    shape: { .text },
                    decode: { place, reading in
                        if place.node.string == "none" { return .some(nil) }
                        return ages.decode(place, &reading).map { .some($0) }
                    },
                    schema: { definitions in
                        .object([
                            (
                                "anyOf",
                                .list([.object([("const", .text("none"))]), ages.schema(&definitions)])
                            )
                        ])
                    })
            )
        ], allowed: "\"none\", or a duration such as \"7d\"",
        encode: { $0.map { .text($0.text) } ?? .text("none") })

    private static let ages = Form<Interval>.duration(.milliseconds(1)...(.hours(24 * 3650)))

    /// `upload.concurrency` of a system that has no such limit.
    static let concurrency: Form<Int> = .integer(
        1...10_000, or: "unlimited", is: .max, make: { $0 },
        encode: { $0 == .max ? .text("unlimited") : .int($0) })

    /// `storage.maxBytes`: a number, or none.
    static let maxBytes: Form<Int?> = .integer(
        1...1_000_000_000_000, or: "none", is: nil, make: { $0 },
        encode: { $0.map { .int($0) } ?? .text("none") })

    static func maxBytesDoc(_ store: String) -> String {
        "Bytes of events, as the SDK keeps them, that \(store) (evicted, storage_limit), or \"none\", as in every version."
    }

    /// `storage.evictFrom` and `storage.order`.
    static let end: Form<StoreEnd> = .cases(what: "an end of the store")

    static let keepStatusesDoc =
        "Answers after which events are kept: \"notSuccess\" (all that are no success), or a list of statuses in which "
        + "\"5xx\" stands for all from 500 to 599; every other answer drops them (rejected)."
    static let networksDoc =
        "Networks on which the SDK uploads; \"any\": it does not ask, and tries without one too."
    static let jitterDoc =
        "How late a tick of the timer may be, from which the next one counts; drawn evenly for each tick."
}
