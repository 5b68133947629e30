package import Accounting
package import AppModel
package import DeviceSDK
package import Timebase
package import Wire
package import World

/// KitAnalysisOfUserBehavior as a state machine.
///
/// Each row goes to the file of its local day at once, on the caller's thread, so a process that dies loses
/// nothing. Nothing leaves but at a start of the app: then the files of all other days go as one archive, and
/// a positive answer removes every file of another day than that of the moment, be it in the archive or not.
///
/// The files beside this one: hooks (`Hooks`), uploads and their answers (`+Upload`), where events end
/// (`+Fates`), files and their disk (`+Files`).
package struct KitSystem: HookingSystem {
    /// The state of one device.
    package typealias Device = KitDevice

    let plan: PopulationPlan
    package let streams: PopulationStreams
    var rules: KitRules
    package let views: AppViews
    package let labels: [EventLabel]
    let encoder: KitEncoder
    var networkMask: NetworkMask
    let parser = JSONParser(byteLimit: 1 << 20)
    /// Of rows in files, where these have a bound of bytes.
    var sizes = StoredSizes()

    /// Makes the system of a population.
    package init(plan: PopulationPlan, rules: KitRules) {
        self.plan = plan
        streams = plan.streams
        self.rules = rules
        var written = plan
        written.app = plan.app.onOneLine
        views = AppViews(app: written.app)
        networkMask = NetworkMask(rules.upload.networks)
        labels = KitTemplate.labels(rules.typeCodes)
        encoder = KitEncoder(plan: written, rules: rules, views: views)
    }

    package func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device {
        Device(
            index: index, slot: slot, number: number,
            clock: plan.clock(index: index), network: plan.initialNetwork(index: index))
    }

    package mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.network = kind
    }

    package mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        encoder.encode(device, into: &body)
    }

    /// The wait after a failure is over.
    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.retry.takeDue()
        upload(&device, now: now, effects: &effects)
    }

    package mutating func perform(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch action {
        case .updateApp(let version): device.epochs.change { $0 = version }
        case .launch, .enterForeground, .enterBackground, .appear, .disappear, .tap:
            trace(action, on: &device, at: now, effects: &effects)
        // Kit has neither a handler for exceptions nor one for the end of the process.
        case .kill where device.isRunning, .crash where device.isRunning: die(&device, effects: &effects)
        // Kit knows no events of the app's own, no accounts and no profiles.
        default: break
        }
    }

    package mutating func handle(
        _ call: UIKitCall, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch call {
        case .didFinishLaunching:
            device.isRunning = true
            expire(&device, now: now, effects: &effects)
            upload(&device, now: now, effects: &effects)
            write(.launch, of: nil, on: &device, at: now, effects: &effects)
        case .didBecomeActive:
            device.isForeground = true
            device.retry.resume(at: now)
        case .didEnterBackground: device.isForeground = false
        default:
            guard device.isRunning, let row = row(of: call) else { return }
            write(row.template, of: row.view, on: &device, at: now, effects: &effects)
        }
    }
}
