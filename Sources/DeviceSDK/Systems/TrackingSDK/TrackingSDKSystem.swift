package import Accounting
package import AppModel
package import DeviceSDK
package import Timebase
package import Wire
package import World

/// The TrackingSDK of the published text as a state machine.
///
/// `trackEvent` writes the event into the file, and then uploads the whole file: each event begins an
/// upload, whatever else is on its way. An answer of exactly 200 removes the file with everything that
/// has come since; any other end leaves it as it is. There is no timer, no limit, no retry but the next
/// event. Both steps happen on the caller's thread, so nothing is in memory alone and a process that dies
/// loses no event that the file has.
///
/// A swizzled method calls the original first and reports then, so what the app itself tracks in its
/// `viewDidAppear:` or in the action of a control comes before the `PageView` or `ButtonClick` of it.
///
/// The files beside this one: hooks (`Hooks`), uploads and their answers (`+Upload`), where events end
/// (`+Fates`), the file and its disk (`+File`).
package struct TrackingSDKSystem: HookingSystem, Custodian {
    /// The state of one device.
    package typealias Device = TrackingSDKDevice

    let plan: PopulationPlan
    package let streams: PopulationStreams
    var rules: TrackingSDKRules
    package let views: AppViews
    package let labels: [EventLabel]
    let encoder: TrackingSDKEncoder
    let head: RequestHead
    var networkMask: NetworkMask
    let parser = JSONParser(byteLimit: 1 << 20)
    /// Of events in files, where these have a bound of bytes.
    var sizes = StoredSizes()

    /// Makes the system of a population.
    package init(plan: PopulationPlan, rules: TrackingSDKRules) {
        self.plan = plan
        streams = plan.streams
        self.rules = rules
        views = AppViews(app: plan.app)
        networkMask = NetworkMask(rules.upload.networks)
        labels = TrackingSDKTemplates.labels(of: plan.app)
        encoder = TrackingSDKEncoder(plan: plan, labels: labels, views: views)
        var lines = "Content-Type: application/json\r\n"
        // Without a key the app passes none, and `setValue:nil` sets no header.
        if !plan.target.apiKey.isEmpty { lines += "X-API-Key: \(plan.target.apiKey)\r\n" }
        head = RequestHead(
            method: .post, path: plan.target.pathAndQuery, headerLines: plan.target.headerLines(after: lines))
    }

    package func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device {
        Device(index: index, slot: slot, number: number, network: plan.initialNetwork(index: index))
    }

    package mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.network = kind
    }

    /// The wait after a failure is over.
    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.retry.takeDue()
        upload(&device, now: now, effects: &effects)
    }

    package mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let open = device.requests.first { $0.number == request.number }
        let (index, number) = (Int(device.index), device.number)
        let skew = plan.clockSkew(index: index)
        body.append(UInt8(ascii: "["))
        var isFirst = true
        device.log.forEach(in: open?.events ?? 0..<0) { record in
            if !isFirst { body.append(UInt8(ascii: ",")) }
            isFirst = false
            encoder.encode(record, index: index, device: number, skew: skew, into: &body)
        }
        body.append(UInt8(ascii: "]"))
        return head
    }
}

extension TrackingSDKSystem {
    package mutating func perform(
        _ planned: PlannedAction, on device: inout Device, effects: inout DeviceEffects
    ) {
        device.isAnswered = planned.isAnswered
        perform(planned.action, on: &device, at: planned.at, effects: &effects)
        // The last that the app's code does: the original method comes back.
        guard !device.isAnswered, let event = device.held else { return }
        device.held = nil
        trackEvent(event, on: &device, at: planned.at, effects: &effects)
    }

    package mutating func perform(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if case .launch = action, device.isRunning { die(&device, effects: &effects) }
        trace(action, on: &device, at: now, effects: &effects)
        switch action {
        case .updateApp(let version): device.appVersion = version
        case .business(let number, let subject) where device.isRunning:
            var event = TrackingSDKEvent(TrackingSDKTemplates.business(number))
            event.detail = subject
            trackEvent(event, on: &device, at: now, effects: &effects)
        // The SDK has no handler for exceptions: a crash is a kill to it.
        case .kill where device.isRunning, .crash where device.isRunning: die(&device, effects: &effects)
        default: break
        }
    }

    package mutating func handle(
        _ call: UIKitCall, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch call {
        case .didFinishLaunching:
            // The app starts the SDK and tracks its launch, in the background too.
            device.isRunning = true
            expire(&device, now: now, effects: &effects)
            var event = TrackingSDKEvent(TrackingSDKTemplates.appLaunch)
            event.detail = UInt32(device.appVersion)
            trackEvent(event, on: &device, at: now, effects: &effects)
        case .didBecomeActive:
            device.isForeground = true
            device.retry.resume(at: now)
        case .didEnterBackground: device.isForeground = false
        default:
            guard let event = event(of: call) else { return }
            report(event, of: call, on: &device, at: now, effects: &effects)
        }
    }

    /// A hook reports when the original method has come back. Of several controllers that appear, the app's
    /// code is in the innermost, which comes last; an alert has none.
    private mutating func report(
        _ event: TrackingSDKEvent, of call: UIKitCall, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        let isAlert = call.view.map { views.node($0).kind == .alertController } ?? false
        guard device.isAnswered, !isAlert else {
            return trackEvent(event, on: &device, at: now, effects: &effects)
        }
        if let outer = device.held { trackEvent(outer, on: &device, at: now, effects: &effects) }
        device.held = event
    }

    /// `trackEvent:withParameters:`: saves, then uploads.
    mutating func trackEvent(
        _ event: TrackingSDKEvent, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        let record = EventRecord(
            capturedAt: now, sequence: device.nextSequence, epoch: 0, template: event.template,
            screen: event.screen, control: event.control, detail: event.detail)
        device.nextSequence += 1
        save(record, on: &device, effects: &effects)
        upload(&device, now: now, effects: &effects)
    }
}

/// What the app or a hook hands to `trackEvent`.
struct TrackingSDKEvent {
    var template: UInt16
    var screen = UInt16.max
    var control = UInt16.max
    var detail: UInt32 = 0

    init(_ template: UInt16) { self.template = template }

    /// An event that tells of a view.
    init(_ template: UInt16, view: ViewReference) {
        self.template = template
        screen = view.screen
        control = view.node
        detail = view.detail
    }
}
