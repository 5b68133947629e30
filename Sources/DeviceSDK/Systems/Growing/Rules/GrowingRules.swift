package import DeviceSDK
package import Timebase
package import World

/// The GrowingIO iOS SDK's rules, one knob each. ``init(version:)`` gives a version's own values; a
/// scenario may change every one.
///
/// Sources: growingio-sdk-ios-autotracker 3.2.1 (`GrowingEventManager.m`, `GrowingEventDatabase.m`,
/// `GrowingSession.m`, `GrowingEventChannel.m`, `GrowingAnalytics.podspec`) and 4.11.0
/// (`GrowingTrackConfiguration.m`, `GrowingAutotrackConfiguration.m` and the same files), and the
/// published text on custom SDKs ("自定义 SDK"), which describes 3.2.1.
package struct GrowingRules: Hashable, Sendable {
    /// The versions, by their names in scenarios; the first is the default.
    package enum Version: String, CaseIterable, Sendable {
        case v3 = "3.2.1"
        case v4 = "4.11.0"
        /// The published text on custom SDKs; what it leaves open is as in 3.2.1. Where the two differ it
        /// has rules of its own: channels' requests go to their templates (``path(of:)``), and
        /// ``BuildFlag/encryption`` switches encryption off.
        case document
    }

    package var version: Version
    /// What the app depends on; decides the modules and services that come with it.
    package var shell = Shell.autotracker
    package var modules = ModuleChanges()
    package var services = Services()
    /// Options of the pod that is built.
    package var buildFlags: Set<BuildFlag> = []
    /// `accountId` (`projectId` in 3.x) where the target's path does not tell it.
    package var accountId = "growing-account"
    /// `dataSourceId`; empty leaves the field out. 3.2.1 has none.
    package var dataSourceId: String
    /// The app's URL scheme for the SDK.
    package var urlScheme = "growing.0a1b2c3d4e5f6789"
    /// `sdkVersion` on the wire. (The constant in the tag 3.2.1 says 3.3.0 already.)
    package var sdkVersion: String
    /// Whether anything is collected before the user has agreed.
    package var dataCollectionEnabled = true
    /// Types of events that are not built.
    package var excludedEvents: Set<String> = []
    /// Fields that are left out; see ``ignorableFields``.
    package var ignoredFields: Set<String> = []
    /// 3.2.1 sends after every event then; 4.x only if the SDK itself is a debug build.
    package var debugEnabled = false
    package var debugBuild = false
    /// Whether `userKey` is kept.
    package var idMappingEnabled = false
    /// Bodies of Protocol Buffers instead of JSON; an optional module in 3.x.
    package var usesProtobuf: Bool
    /// 4.x: `customEventWithPath`, the path of the last page on CUSTOM events.
    package var customEventWithPath = false
    /// Whether the app hands its location to the SDK, once per process.
    package var collectsLocation = false
    package var sessionInterval = Interval.seconds(30)
    package var autotrack: Autotrack
    package var storage: Storage
    package var upload: Upload
    /// Channels that interceptors add to the version's own, in this order.
    package var channels: [GrowingChannel] = []
    /// The app's own types of events.
    package var events: [GrowingOwnEvent] = []
    package var interceptors: [GrowingInterceptorRule] = []
    /// Templates of paths to which a program's own interceptors send, beside ``channels`` and ``interceptors``.
    package var registeredTemplates: [String] = []
    /// Standard deviation of the devices' clock errors.
    package var clockSkew = Interval.zero

    /// What is captured without calls of the app.
    package struct Autotrack: Hashable, Sendable {
        /// Which view controllers send PAGE.
        package enum Pages: Hashable, Sendable {
            /// 3.x, and `autotrackAllPages` of 4.x.
            case all
            /// `autotrackPagesWhiteList` of 4.x: classes of view controllers and their aliases. Empty
            /// by default, so that 4.x sends no PAGE at all unless the app says which.
            case listed([String: String])
        }

        package var enabled = true
        package var pages: Pages
    }

    /// The two stores on disk, timing and realtime.
    package struct Storage: Hashable, Sendable {
        /// Operations on the timing store that wait in memory: with the one that makes it so many, all
        /// are written (`kGrowingMaxDBCacheSize`). The realtime store writes each at once.
        package var writeBuffer = 100
        package var realtimeWriteBuffer = 0
        /// Age at which rows are deleted when the store is opened.
        package var ttl: Interval? = .hours(24 * 7)
        /// Bytes of stored events that each of the two files holds at most; then it gives up its oldest. No version has
        /// such a bound.
        package var maxBytes: Int?
        /// 3.x: the timing store's rows are sent from a queue in memory, which is filled with so many
        /// of them (`kGrowingMaxQueueSize`), again when so few are left (`kGrowingFillQueueSize`).
        /// `nil`: rows are read from the store.
        package var queueLimit: Int?
        package var queueRefill = 1000
        /// Events that each device captured before the run's start.
        package var prefill = 0
        /// Share of the transactions that fail (a full or broken disk). A failed deletion takes the
        /// insertions that were to follow with it.
        package var deleteFailureChance = 0.0
        package var insertFailureChance = 0.0
    }

    /// When and how rows leave.
    package struct Upload: Hashable, Sendable {
        /// Events per request (`kGrowingMaxBatchSize`); so many left in the store are sent at once.
        package var batch = 500
        /// Bytes of stored events that a request stays below; `nil` for no limit (3.x).
        package var maxBytes: Int?
        /// Uploads of a channel at a time: one in every version, which sends the next when the last was answered.
        package var concurrency = 1
        /// The first tick of the timer, from the start of the process.
        package var firstFlush = Interval.seconds(5)
        package var flushInterval = Interval.seconds(15)
        /// How late a tick may be. The SDK's timer allows the system 1 s (the leeway of a dispatch
        /// source); each tick's delay is drawn evenly.
        package var jitter = Interval.zero
        /// Whether ticks go on in the background. The SDK's timer runs as long as its process does, but
        /// iOS suspends the process.
        package var whileInBackground = false
        /// Whether entering the background sends. No version does so.
        package var onBackground = false
        /// The networks on which anything is uploaded, before ``GrowingPolicy`` and ``cellularLimit`` have their say.
        package var networks: Set<NetworkKind> = [
            .cellular2G, .cellular3G, .cellular4G, .cellular5G, .wifi,
        ]
        package var timeout: Interval
        /// Bytes of bodies that a device sends over cellular networks on one local day; then only instant
        /// events are sent.
        package var cellularLimit = 10 * 1024 * 1024
        /// Policies of types that do not have the version's own: instant for VISIT and ACTIVATE, mobile
        /// data for all others.
        package var policies: [String: GrowingPolicy] = [:]
        /// Which answers keep the rows for another try.
        package var keeps = KeepRule.notSuccess
        /// What an upload that did not succeed changes. Nothing, in every version.
        package var retry = RetryPolicy()
    }

    /// `GrowingFieldsIgnore`: the fields that an app can leave out.
    package static let ignorableFields = [
        "networkState", "screenHeight", "screenWidth", "deviceBrand", "deviceModel", "deviceType",
    ]

    /// A version's own values.
    package init(version: Version) {
        self.version = version
        let isVersion4 = version == .v4
        dataSourceId = isVersion4 ? "0a1b2c3d4e5f6789" : ""
        sdkVersion = isVersion4 ? "4.11.0" : "3.2.1"
        usesProtobuf = isVersion4
        autotrack = Autotrack(pages: isVersion4 ? .listed([:]) : .all)
        storage = Storage(queueLimit: isVersion4 ? nil : 10_000)
        upload = Upload(
            maxBytes: isVersion4 ? 2 * 1024 * 1024 : nil, timeout: .seconds(isVersion4 ? 30 : 60))
    }

    /// 4.11.0 rather than 3.2.1 or the published text.
    package var isVersion4: Bool { version == .v4 }
}

/// When an event may be sent: `GrowingEventSendPolicy`.
package enum GrowingPolicy: String, CaseIterable, Sendable {
    /// At once, and on every network.
    case instant
    /// With the next batch, on cellular networks as far as the day's budget goes.
    case mobile
    /// On Wi-Fi alone.
    case wifi

    /// The source's bit.
    var bit: UInt8 {
        switch self {
        case .instant: 1
        case .mobile: 2
        case .wifi: 4
        }
    }
}
