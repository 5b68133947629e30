package import DeviceSDK
package import Timebase
package import World

/// TrackingSDK's rules, one knob each. ``init(version:)`` gives a version's own values; a scenario may
/// change every one.
///
/// Source: the published text "构建 iOS 埋点监控 SDK" (2019-04-24), which prints the SDK whole. As printed its
/// store could hold one event only (the saved array mixes archived data with objects); the simulation
/// does what the text means, an array of archived events in one file.
package struct TrackingSDKRules: Hashable, Sendable {
    /// The versions, by their names in scenarios; the first is the default.
    package enum Version: String, CaseIterable, Sendable {
        /// There is no other source than the published text.
        case document
    }

    /// What a positive answer removes from the file.
    package enum Clear: String, CaseIterable, Sendable {
        /// The whole file, as the text has it (`clearEvents`): what came after the request was built goes
        /// with it.
        case all
        /// The events that the request carried, and nothing else: the corrected SDK.
        case sentOnly = "sent-only"
    }

    /// Which answers are positive.
    package enum Success: String, CaseIterable, Sendable {
        /// `statusCode == 200`: after 201, 202 or 204 everything is sent again.
        case ok = "200"
        /// All of 2xx: the corrected SDK.
        case any2xx = "2xx"

        /// Whether an answer with this status is positive.
        func accepts(_ status: UInt16) -> Bool {
            switch self {
            case .ok: status == 200
            case .any2xx: (200...299).contains(status)
            }
        }
    }

    package var version: Version
    package var clear = Clear.all
    package var storage = Storage()
    package var upload = Upload()
    package var autoTrack = AutoTrack()
    /// Standard deviation of the devices' clock errors.
    package var clockSkew = Interval.zero

    /// The file `tracking_events.plist`: no limit, no eviction, unless an own policy has one.
    package struct Storage: Hashable, Sendable {
        /// Events that each device captured before the run's start.
        package var prefill = 0
        /// Age at which events leave the file when a process starts; the text knows none.
        package var ttl: Interval?
        /// Bytes of events that the file holds at most; then it gives up its oldest. The text knows no bound.
        package var maxBytes: Int?
    }

    /// An upload of the whole file follows each event; there is no other trigger.
    package struct Upload: Hashable, Sendable {
        package var success = Success.ok
        /// `timeoutIntervalForRequest` of a shared URLSession.
        package var timeout = Interval.seconds(60)
        /// Connections to one host (`HTTPMaximumConnectionsPerHost` on iOS): further requests wait in the
        /// session, with the bodies that they were made with.
        package var sockets = 4
        /// Uploads at a time: an event that finds as many under way begins none, and one follows when the next of
        /// them has ended. The text has no such rule.
        package var concurrency = Int.max
        /// The networks on which it uploads; `nil` for all, no network included: the text does not ask.
        package var networks: Set<NetworkKind>?
        /// Which answers that are not positive leave the file as it is: all, in the text. After the others it is
        /// cleared as after a positive one.
        package var keeps = KeepRule.notSuccess
        /// What an upload that did not succeed changes. Nothing, in the text; no policy splits, since an upload is the
        /// whole file.
        package var retry = RetryPolicy()
    }

    /// The swizzled methods; the app calls `trackEvent` itself for everything else.
    package struct AutoTrack: Hashable, Sendable {
        /// `PageView` after `viewDidAppear:`.
        package var pageView = true
        /// `ButtonClick` after `sendAction:to:forEvent:` with a touch.
        package var buttonClick = true
        /// … and also without any event, as switches and steppers send their actions. The text speaks of
        /// touches; but its code asks `[event type] == UIEventTypeTouches`, which holds for `nil`, because
        /// both sides are 0 then.
        package var withoutEvent = false
    }

    /// A version's own values.
    package init(version: Version) { self.version = version }
}

extension TrackingSDKRules: SystemRuleSet {
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds()
        bounds.uploads = min(upload.sockets, upload.concurrency)
        bounds.keeps = upload.keeps
        bounds.clearsUnsent = clear == .all
        // What waits for a socket was made before the failure.
        if upload.concurrency <= upload.sockets {
            bounds.obey(upload.retry)
            bounds.rejects = !disksFail
        }
        return bounds
    }

    package static var systemName: String { "trackingsdk" }
    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        let system = TrackingSDKSystem(plan: plan, rules: self)
        return TrackingSDKFleet(FleetCore(plan: plan, share: share, system: system))
    }
    /// The text's own example of a server URL, `https://your-server.com/track`, says nothing of a path.
    package func defaultPath(account: String) -> String { "/tracking/events" }
    package var prefill: Int {
        get { storage.prefill }
        set { storage.prefill = newValue }
    }
    package var connectionsPerDevice: Int { min(upload.sockets, upload.concurrency) }
    package var uploadsAtOnce: Int { min(upload.sockets, upload.concurrency) }
    package var clearing: UnsentClearing { .uploadEndOnceUnderWay }
    /// Each event uploads; a minute is about what lies between bursts of them.
    package var uploadInterval: Interval { .seconds(60) }
}

private final class TrackingSDKFleet: SpecialisedFleet {
    @exclusivity(unchecked) var core: FleetCore<TrackingSDKSystem>
    init(_ core: FleetCore<TrackingSDKSystem>) { self.core = core }
}
