package import Accounting
package import AppModel
package import DeviceSDK
package import Timebase
import Wire
package import World

/// The codeless SDK of the published design as a state machine.
///
/// Hooks collect; nothing is tracked by the app. Events are in memory in two stages: `eventArray`, and the
/// parts that a trigger (the timer, or enough events) took from it and that wait for their answers in
/// `popedEventDict`. Only the end of a process that comes with notice, or an exception, brings both to a
/// file; SIGKILL loses them. Files are uploaded one by one at a cold start, on coming to the foreground and
/// on entering the background.
///
/// The files beside this one: hooks (`Hooks`), the cache (`+Cache`), uploads and their answers
/// (`+Upload`), files (`+Files`), where events end (`+Fates`), the configuration (`+RemoteConfig`).
package struct CodelessSystem: HookingSystem, Custodian {
    /// The state of one device.
    package typealias Device = CodelessDevice

    let plan: PopulationPlan
    package let streams: PopulationStreams
    var rules: CodelessRules
    package let views: AppViews
    let encoder: CodelessEncoder
    let endpoints: CodelessEndpoints
    var networkMask: NetworkMask
    let parser = JSONParser(byteLimit: 1 << 20)
    /// Configurations that any device has met; index 0 is none.
    var configs = [CodelessBusinessData()]
    var configIndices: [CodelessConfig: UInt16] = [CodelessConfig(): 0]

    /// Makes the system of a population.
    package init(plan: PopulationPlan, rules: CodelessRules) {
        self.plan = plan
        streams = plan.streams
        self.rules = rules
        views = AppViews(app: plan.app)
        networkMask = NetworkMask(rules.upload.networks)
        encoder = CodelessEncoder(plan: plan, views: views)
        endpoints = CodelessEndpoints(plan: plan)
    }

    package var labels: [EventLabel] { CodelessTemplate.labels }

    package func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device {
        Device(index: index, slot: slot, number: number, network: plan.initialNetwork(index: index))
    }

    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if device.retry.due <= now {
            retry(&device, now: now, effects: &effects)
            return
        }
        device.tickDue = ticks.next(after: device.tickDue, index: device.index)
        tick(&device, now: now, effects: &effects)
    }

    package mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.network = kind
    }
}

extension CodelessSystem {
    package mutating func perform(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if case .updateApp(let version) = action { device.epochs.change { $0.appVersion = version } }
        if case .launch = action, device.isRunning { die(&device, effects: &effects) }
        trace(action, on: &device, at: now, effects: &effects)
        switch action {
        case .kill where device.isRunning, .crash where device.isRunning: die(&device, effects: &effects)
        default: break
        }
    }

    package mutating func handle(
        _ call: UIKitCall, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch call {
        case .didFinishLaunching: start(&device, now: now, effects: &effects)
        case .willEnterForeground:
            returnToForeground(&device, now: now, effects: &effects)
        case .didBecomeActive:
            device.isForeground = true
            // A timer whose time came while the process was suspended fires as soon as it may.
            device.tickDue = max(device.tickDue, now)
            device.retry.resume(at: now)
        case .didEnterBackground:
            // Only a tick that comes from now on is one that is missed.
            bringForwardTimer(of: &device, to: now)
            device.isForeground = false
            device.backgroundSince = now
            if rules.upload.onBackground { uploadFile(of: &device, due: now, effects: &effects) }
        case .willTerminate, .uncaughtException: writeFile(of: &device, effects: &effects)
        default:
            guard let event = event(of: call) else { return }
            add(event, to: &device, at: now, effects: &effects)
        }
    }

    /// A cold start: the SDK is initialised, and its uploader of files triggered for the first time.
    private mutating func start(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        device.isRunning = true
        beginSession(&device)
        device.epochs.change { $0.config = 0 }
        device.tickDue = ticks.next(after: now, index: device.index)
        expireFiles(of: &device, now: now, effects: &effects)
        fetchConfig(&device, now: now, effects: &effects)
        if rules.upload.onLaunch { uploadFile(of: &device, due: now, effects: &effects) }
    }

    private mutating func returnToForeground(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        // Not after a start in the background, which began the session itself.
        if device.backgroundSince < .distantFuture, now - device.backgroundSince > rules.sessionTimeout {
            beginSession(&device)
        }
        device.backgroundSince = .distantFuture
        if rules.upload.onForeground { uploadFile(of: &device, due: now, effects: &effects) }
    }

    private func beginSession(_ device: inout Device) {
        device.sessionCount += 1
        let session = device.sessionCount
        device.epochs.change { $0.session = session }
    }
}
