package import Accounting
import AppModel
package import DeviceSDK
package import Timebase
package import Wire
package import World

/// The SensorsAnalytics iOS SDK as a state machine: versions 1.10.17 and 4.9.1, and the published
/// design text.
///
/// What differs between the versions is a rule (``SensorsRules``) wherever it can be turned; the
/// rest follows the version. The files beside this one: hooks and lifecycle (`+Actions`,
/// `+Lifecycle`), what becomes of a captured event (`+Capture`), uploads (`+Upload`), their answers
/// and the fates that follow (`+Answers`, `+Fates`), remote configuration (`+RemoteConfig`).
///
/// Times: an event's `capturedAt` is the planned time of the action that caused it. 1.10.17 takes
/// the `time` field on its serial queue, which is later only while a request blocks that queue; the
/// simulation writes the time of the action there too, so that freshness and `time` speak of one
/// moment. Ids and super properties are those of the action as well.
package struct SensorsSystem<Store: SensorsStore>: RowCustodian, DrawingSystem {
    /// The state of one device.
    package typealias Device = SensorsDevice<Store>

    let plan: PopulationPlan
    package let streams: PopulationStreams
    package let multiplexes: Bool
    var rules: SensorsRules
    /// 4.9.1 rather than 1.10.17 or the published text.
    let isVersion4: Bool
    let templates: SensorsTemplates
    let endpoints: SensorsEndpoints
    let identities: SensorsIdentities
    /// Bit n: network kind n may be used for uploads.
    var networkMask: NetworkMask
    /// Bits as in `autoTrackMode`.
    let localAutoTrack: Int
    let hookedViews: SensorsHookedViews
    /// Whether local time is not the same on all devices at all times.
    let hasZones: Bool
    let isSkewed: Bool
    /// For each template, whether its event flushes at once.
    var isImmediate: [Bool]
    /// For each template, whether its event is instant (4.9.1), and whether any is.
    var isInstant: [Bool]
    var tellsInstant: Bool
    let parser = JSONParser(byteLimit: 1 << 20)
    let makeStore: (Int) -> Store
    let encoder: SensorsEventEncoder
    /// Configurations that any device has met; index 0 is the one before any answer.
    var configs: [SensorsConfigEntry]
    var configIndices: [SensorsConfig: UInt16] = [.none: 0]
    /// Delivered rows that could not be deleted.
    package var acknowledged = AcknowledgedRows()
    /// Of stored rows, where the store has a bound of bytes.
    var sizes = StoredSizes()

    /// Makes the system of a population.
    ///
    /// - Parameter makeStore: Opens the store of the device with the given index in the population.
    package init(plan: PopulationPlan, rules: SensorsRules, makeStore: @escaping (Int) -> Store) {
        self.plan = plan
        streams = plan.streams
        multiplexes = plan.multiplexes
        self.rules = rules
        self.makeStore = makeStore
        isVersion4 = rules.isVersion4
        let templates = SensorsTemplates(plan: plan, rules: rules)
        self.templates = templates
        encoder = SensorsEventEncoder(plan: plan, rules: rules, templates: templates)
        endpoints = SensorsEndpoints(plan: plan, rules: rules)
        identities = SensorsIdentities(plan.app)
        let inForce = SensorsRulesInForce(rules, templates)
        networkMask = inForce.networkMask
        isImmediate = inForce.isImmediate
        isInstant = inForce.isInstant
        tellsInstant = inForce.tellsInstant
        let local = rules.autoTrack
        localAutoTrack =
            (local.start ? 1 : 0) | (local.end ? 2 : 0) | (local.click ? 4 : 0) | (local.viewScreen ? 8 : 0)
        hookedViews = encoder.catalogue.hookedViews
        hasZones = plan.zones.differ
        isSkewed = !plan.clockRules.isExact
        configs = [SensorsConfigEntry(.none, templates: templates)]
        encoder.addRemoteConfig(SensorsConfig.none.text)
    }

    package var labels: [EventLabel] { templates.labels }

    package func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device {
        var epoch = SensorsEpoch()
        epoch.network = plan.initialNetwork(index: index)
        return SensorsDevice(
            index: index, slot: slot, number: number, store: makeStore(index), epoch: epoch)
    }

    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if device.storedCount > 0 && device.flushDue <= now {
            device.flushDue = ticks.next(after: device.flushDue, index: device.index)
            requestFlush(&device, due: now, now: now, effects: &effects)
        } else if device.retryDue <= now {
            device.retryDue = .distantFuture
            fetchConfig(&device, attempt: device.retryAttempt, now: now, effects: &effects)
        } else if device.retry.due <= now {
            device.retry.takeDue()
            requestFlush(&device, due: now, now: now, effects: &effects)
        }
    }

    /// Those of the foreground timer.
    @inline(__always)
    var ticks: TimerTicks {
        TimerTicks(
            streams, every: rules.upload.flushInterval, jitter: rules.upload.jitter, since: plan.start)
    }

    package mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.epochs.change { $0.network = kind }
    }

    package mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        guard let index = device.requests.firstIndex(where: { $0.number == request }) else {
            return request.kind == .config ? endpoints.fetch(under: .none) : endpoints.upload
        }
        if request.kind == .config {
            return endpoints.fetch(under: configs[Int(device.activeConfig)].config)
        }
        let rows = device.requests[index].rows
        let contents = device.requests[index].contents
        if contents.isEmpty {
            encoder.encodeBatch(
                rows, index: Int(device.index), number: device.number, epochs: device.epochs,
                at: now, into: &body)
        } else {
            encoder.encodeBatch(
                stored: contents, of: rows, index: Int(device.index), number: device.number,
                epochs: device.epochs, at: now, into: &body)
        }
        if tellsInstant && device.requests[index].flush != .normal { body.append("&instant_event=true") }
        return device.requests[index].isDebug ? endpoints.debug : endpoints.upload
    }

    /// The page that `$referrer` tells. 4.9.1: the screen before, or the last page before that was reported.
    /// 1.10.17 asks the screens that have a URL alone, and remembers them alone (`trackViewScreen:`).
    func referrer(_ before: UInt16?, on device: inout Device, of page: UInt16) -> UInt16 {
        if !isVersion4 {
            guard encoder.catalogue.screens[Int(page)].urlKeys.contains(.url), autoTracks(8, device),
                !isDisabled(device)
            else { return .max }
        } else if hookedViews.isPlain {
            return before ?? .max
        }
        defer { device.viewedPage = page }
        return device.viewedPage
    }

    // MARK: - What several parts ask
    // Always inlined: a call would hand over a copy of the device.

    /// The debug mode in force: the app's, unless the configuration switched it off.
    @inline(__always)
    func isDebug(_ device: borrowing Device) -> Bool {
        if rules.debugMode == .off { return false }
        return !device.state.contains(.debugIsOff)
    }

    @inline(__always)
    func isDisabled(_ device: borrowing Device) -> Bool {
        configs[Int(device.activeConfig)].config.disablesSDK
    }

    /// Whether the configuration in force, or else the app, leaves a preset event on.
    @inline(__always)
    func autoTracks(_ bit: Int, _ device: borrowing Device) -> Bool {
        (configs[Int(device.activeConfig)].config.autoTrackMode ?? localAutoTrack) & bit != 0
    }

    /// Days since 1970-01-01 on the device's calendar, by its own clock.
    ///
    /// - Parameter index: The device's. Handed the device, it would be handed a copy, for each event.
    func localDay(_ moment: Instant, of index: UInt32) -> Int32 {
        let instant = isSkewed ? moment + plan.clockSkew(index: Int(index)) : moment
        let offset = hasZones ? plan.utcOffset(index: Int(index), at: instant) : plan.utcOffset
        return Int32(truncatingIfNeeded: CivilTime.dayNumber(instant, offset: offset))
    }
}
