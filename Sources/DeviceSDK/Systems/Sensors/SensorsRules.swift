package import DeviceSDK
package import Timebase
package import World

/// The SensorsAnalytics iOS SDK's rules, one knob each. ``init(version:)`` gives a version's own
/// values; a scenario may change every one.
///
/// Sources: sa-sdk-ios v1.10.17 (`SensorsAnalyticsSDK.m`, `MessageQueueBySqlite.m`) and v4.9.1
/// (`Core/Tracker/SADatabase.m`, `SAEventStore.m`, `SAFlushJSONInterceptor.m`, `RemoteConfig/`).
package struct SensorsRules: Hashable, Sendable {
    /// The versions, by their names in scenarios; the first is the default.
    package enum Version: String, CaseIterable, Sendable {
        case v1 = "1.10.17"
        case v4 = "4.9.1"
        /// The published design text, where it differs from the source of 1.10.17 that it describes.
        case document
    }

    package enum DebugMode: String, CaseIterable, Sendable {
        case off, debugOnly, debugAndTrack
    }

    package var version: Version
    /// 4.9.1, and not 1.10.17 or the published text.
    package var isVersion4: Bool { version == .v4 }
    package var debugMode = DebugMode.off
    package var storage: Storage
    package var upload: Upload
    package var remoteConfig: RemoteConfig
    package var autoTrack = AutoTrack()
    /// Opt-in `$screen_orientation`, and `$latitude`/`$longitude`.
    package var collectsOrientation = false
    package var collectsLocation = false
    /// Value of a `Cookie` header, if the app sets one.
    package var cookie: String?
    /// Standard deviation of the devices' clock errors.
    package var clockSkew = Interval.zero

    /// The local store.
    package struct Storage: Hashable, Sendable {
        /// Where the simulation keeps the rows. The SDK behaves the same.
        package enum Backend: String, CaseIterable, Sendable {
            case memory
            /// A database file per device, as the SDK has it.
            case sqlite

            /// Devices of a run that may have a file. Each takes some 40 kB of memory and a descriptor
            /// while it is in use, and some 100 µs of a core per event.
            package static let fileLimit = 2000
        }

        package var backend = Backend.memory
        /// Rows at which eviction begins.
        package var limit = 10_000
        /// Bytes at which eviction begins: of the events' JSON as the table has it. No version has such a bound.
        package var maxBytes: Int?
        /// Rows deleted at once, from ``evictFrom`` on.
        package var evict = 100
        /// Which rows go. Every version gives up its oldest. With `newest` the event that comes is the first
        /// of them.
        package var evictFrom = StoreEnd.oldest
        /// Which rows leave first. Every version sends its oldest.
        package var order = StoreEnd.oldest
        /// Age at which rows are deleted when a process opens the store; no version does so.
        package var ttl: Interval?
        /// 1.10.17: `count >= limit` is checked before the insert, so the limit is reached;
        /// 4.9.1: `count + 1 >= limit`, repeated until it holds no longer, so it is not.
        package var staysBelowLimit = false
        /// 4.9.1 evicts rows whatever their status; rows in the air may go.
        package var evictsRowsInFlight = true
        /// Share of the store's deletions that fail (a full or broken disk): 1.10.17 then drops the
        /// new event.
        package var deleteFailureChance = 0.0
        /// Share of the inserts that fail: 4.9.1 keeps the row in a list in memory.
        package var insertFailureChance = 0.0
        /// Events that each device captured before the run's start.
        package var prefill = 0
        /// The flush on entering the background ends with `VACUUM`. The published text says so;
        /// 1.10.17 does it only if compiled with `SENSORS_ANALYTICS_ENABLE_VACUUM`, 4.9.1 never.
        package var vacuum = false
    }

    /// When and how rows leave.
    package struct Upload: Hashable, Sendable {
        /// Events per request; 1 in debug mode whatever this says.
        package var batch = 50
        package var flushBulkSize = 100
        /// 1.10.17 flushes at `flushBulkSize` rows, 4.9.1 above it (idle rows only).
        package var flushesAboveBulkSize = false
        /// The foreground timer.
        package var flushInterval = Interval.seconds(15)
        /// How late a tick of the timer may be, from which the next one counts: drawn evenly for each. No version
        /// does so.
        package var jitter = Interval.zero
        package var networks: Set<NetworkKind>
        /// 1.10.17 treats a missing network as allowed, and one that it has no name for (5G), and tries
        /// all the same; not if ``networks`` is empty.
        package var triesWithoutNetwork: Bool
        /// 1.10.17 sends one request at a time, and `track` waits in memory behind it.
        package var blocksTracking: Bool
        /// 4.9.1: 41 batches a flush; `Int.max` for no limit.
        package var maxBatchesPerFlush: Int
        /// Events that flush at once.
        package var immediate: Set<String> = ["$SignUp"]
        /// 4.9.1: events of the app (`instantEvents` of its options) that are uploaded at once, in
        /// requests of their own that say so.
        package var instant: Set<String> = []
        /// Flush on entering the background.
        package var onBackground = true
        /// 4.9.1 flushes after each `$AppStart`.
        package var onLaunch: Bool
        package var timeout: Interval
        /// Which answers keep the rows for another try: 1.10.17 all from 300 on, 4.9.1 403, 404 and 5xx.
        package var keeps: KeepRule
        /// How much of the generator's work goes into small bodies.
        package var compression = Compression.default
        /// Share of the requests whose body cannot be built, as on a device without memory left. 1.10.17
        /// takes the exception for success and deletes the rows unsent; 4.9.1 leaves them marked until the
        /// next start.
        package var bodyFailureChance = 0.0
        /// What an upload that did not succeed changes. Nothing, in every version. Which rows are still there
        /// afterwards is a matter of ``keeps`` alone.
        package var retry = RetryPolicy()
    }

    /// The effort of compression. Bodies are gzip in any case; the SDK leaves zlib at its default,
    /// level 6.
    package enum Compression: String, CaseIterable, Sendable {
        /// Batches about as small as zlib's level 6 makes them.
        case `default`
        /// Up to a quarter larger, for more load from a core.
        case fast
    }

    /// Which rows a flush takes.
    package enum FlushKind: UInt8, Hashable, Sendable {
        /// First the instant ones, then the others: timers, starts, the background, a configuration.
        case all
        /// What an event asks for that is instant, or is not.
        case instant, normal

        /// The rows of its next request.
        var rows: SensorsRowKind { self == .normal ? .normal : .instant }
    }

    /// Remote configuration.
    package struct RemoteConfig: Hashable, Sendable {
        package enum Moment: String, CaseIterable, Sendable {
            /// 1.10.17: each didBecomeActive.
            case didBecomeActive
            /// 4.9.1: SDK start and hot start, when the random interval has passed.
            case start
            /// The published text: entering the background.
            case background
        }
        package var enabled = true
        package var fetchOn: Moment
        package var timeout: Interval
        package var attempts = 3
        package var retryDelay = Interval.seconds(30)
        /// 4.9.1 draws the time to the next fetch from here; the two bounds in hours are 24 and 48.
        package var minimumInterval: Interval
        package var maximumInterval: Interval
    }

    /// Which preset events the app switched on; `autoTrackMode` of the remote configuration overrides.
    package struct AutoTrack: Hashable, Sendable {
        package var start = true
        package var end = true
        package var click = true
        package var viewScreen = true
    }

    /// A version's own values.
    package init(version: Version) {
        self.version = version
        let isVersion4 = version == .v4
        storage = Storage(
            staysBelowLimit: isVersion4, evictsRowsInFlight: true, vacuum: version == .document)
        upload = Upload(
            flushesAboveBulkSize: isVersion4,
            networks: isVersion4
                ? [.cellular2G, .cellular3G, .cellular4G, .cellular5G, .wifi]
                : [.cellular3G, .cellular4G, .wifi],
            triesWithoutNetwork: !isVersion4, blocksTracking: !isVersion4,
            maxBatchesPerFlush: isVersion4 ? 41 : .max,
            onLaunch: isVersion4, timeout: .seconds(isVersion4 ? 30 : 60),
            keeps: isVersion4 ? .serverErrors(and: [403, 404]) : .notSuccess)
        remoteConfig = RemoteConfig(
            fetchOn: isVersion4 ? .start : version == .document ? .background : .didBecomeActive,
            timeout: .seconds(isVersion4 ? 30 : 10),
            minimumInterval: isVersion4 ? .hours(24) : .zero, maximumInterval: isVersion4 ? .hours(48) : .zero
        )
    }
}
