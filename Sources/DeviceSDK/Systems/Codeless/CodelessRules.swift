package import DeviceSDK
package import Timebase
package import World

/// The codeless SDK's rules, one knob each. ``init(version:)`` gives a version's own values; a scenario
/// may change every one.
///
/// Source: the published design "iOS无埋点数据SDK整体设计" (zerygao) with its figures. No code, no address, no
/// header and no schema of it is public: what the text leaves open is this project's choice, and marked
/// so here.
package struct CodelessRules: Hashable, Sendable {
    /// The versions, by their names in scenarios; the first is the default.
    package enum Version: String, CaseIterable, Sendable {
        /// There is no other source than the published text.
        case document
    }

    package var version: Version
    package var storage = Storage()
    package var upload = Upload()
    package var remoteConfig = RemoteConfig()
    package var autoTrack = AutoTrack()
    /// A part whose upload failed is tried again at the next tick of the timer. The published flow has
    /// no way back for it: it stays in `popedEventDict` until the process ends.
    package var retryFailedParts = false
    /// Each part is written to a file of its own together with its `eventsID`, so that a collector can
    /// know it again. In the text the file has the events alone, and an upload of it gets a new
    /// `eventsID`.
    package var persistEventsID = false
    /// Coming back to the foreground after a longer absence begins a new session. Our choice.
    package var sessionTimeout = Interval.seconds(30)
    /// Standard deviation of the devices' clock errors.
    package var clockSkew = Interval.zero

    /// The memory has no limit, and neither have the files, unless an own policy has one.
    package struct Storage: Hashable, Sendable {
        /// Events that each device captured before the run's start; they are in a file.
        package var prefill = 0
        /// Age of its newest event at which a file is removed at a cold start; the text knows none.
        package var ttl: Interval?
        /// Bytes of events that all files hold at most; then the oldest goes. The text knows no bound.
        package var maxBytes: Int?
    }

    /// When and how events leave.
    package struct Upload: Hashable, Sendable {
        /// The most events that a trigger takes from `eventArray`.
        package var batch = 10
        /// Events in `eventArray` that trigger an upload.
        package var flushBulkSize = 10
        /// The timer while the app is in the foreground.
        package var flushInterval = Interval.seconds(30)
        /// How late a tick of the timer may be, from which the next one counts: drawn evenly for each.
        package var jitter = Interval.zero
        /// Uploads of parts at a time; further parts wait in the queue. The uploader of files comes on top.
        package var concurrency = 10
        /// Our choice: the default of URLSession.
        package var timeout = Interval.seconds(60)
        /// What starts the uploader of files: a cold start, …
        package var onLaunch = true
        /// … coming to the foreground, …
        package var onForeground = true
        /// … entering the background.
        package var onBackground = true
        /// The networks on which it uploads; `nil` for all, no network included: the text does not ask.
        package var networks: Set<NetworkKind>?
        /// Which answers that are not 2xx keep the events: all, in the text.
        package var keeps = KeepRule.notSuccess
        /// What an upload that did not succeed changes. Nothing, in the text. With a back-off, parts that failed are
        /// sent again when its wait is over, as with ``retryFailedParts``.
        package var retry = RetryPolicy()
    }

    /// The configuration that adds business data to events.
    package struct RemoteConfig: Hashable, Sendable {
        package var enabled = true
        /// Our choice, as ``Upload/timeout``.
        package var timeout = Interval.seconds(60)
    }

    /// Groups of hooks.
    package struct AutoTrack: Hashable, Sendable {
        /// The life of view controllers: PageCreate, PageShow, PageHide, PageDestory.
        package var pages = true
        /// Controls, bar buttons, gestures, rows of lists, alerts, React Native.
        package var clicks = true
        package var scrolls = true
        package var webViews = true
    }

    /// Whether anything comes back for a part whose upload failed.
    var sendsPartsAgain: Bool { retryFailedParts || upload.retry.backoff != nil }

    /// A version's own values.
    package init(version: Version) { self.version = version }
}

extension CodelessRules: SystemRuleSet {
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds()
        // One of parts, one at a time of files.
        bounds.uploads = upload.concurrency + 1
        bounds.keeps = upload.keeps
        bounds.rejects = !disksFail
        bounds.obey(upload.retry)
        bounds.cutsAfter413 = true
        return bounds
    }

    package static var systemName: String { "codeless" }
    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        CodelessFleet(FleetCore(plan: plan, share: share, system: CodelessSystem(plan: plan, rules: self)))
    }
    package func defaultPath(account: String) -> String { "/codeless/v1/events" }
    package var prefill: Int {
        get { storage.prefill }
        set { storage.prefill = newValue }
    }
    package func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity {
        DeviceIdentity(anonymousID: CodelessEncoder.deviceID(plan.streams, index: index, installation: 0))
    }
    package var tracksCode: Bool { false }
    /// Those of parts, one of files, and one of the configuration.
    package var connectionsPerDevice: Int { uploadsAtOnce + (remoteConfig.enabled ? 1 : 0) }
    /// Those of parts, and one of files.
    package var uploadsAtOnce: Int { upload.concurrency + 1 }
    package var uploadInterval: Interval { upload.flushInterval }
}

private final class CodelessFleet: SpecialisedFleet {
    @exclusivity(unchecked) var core: FleetCore<CodelessSystem>
    init(_ core: FleetCore<CodelessSystem>) { self.core = core }
}
