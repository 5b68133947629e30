package import Accounting
package import AppModel
package import Timebase
package import Wire
package import World

/// What a fleet and the custody of events want to know of a device's state, whatever its system.
package protocol TrackedDevice {
    /// The device's index in its population, its slot in the fleet, its number in the run.
    var index: UInt32 { get }
    var slot: UInt32 { get }
    var number: UInt32 { get }
    /// The sequence of the next event: how many the device has captured.
    var nextSequence: UInt32 { get set }
    /// Rows in its store.
    var storedCount: Int { get }
    /// Whether the app is in the foreground.
    var isForeground: Bool { get }
    /// Whether the SDK has stopped all uploads until something other than time lets them go on. By default never.
    var isLatched: Bool { get }
    /// When the device's next timer is due; ``Timebase/Instant/distantFuture`` for none.
    ///
    /// Asked after each step, so it may not copy the device: a mutating getter works in place. It
    /// changes nothing. By default a device has no timers.
    var nextDue: Instant { mutating get }
    /// Asks the processor for the memory behind the value that the next step is going to need, without waiting for it. By
    /// default for none. Mutating, so that it works in place.
    mutating func prefetch()
}

extension TrackedDevice {
    package var isLatched: Bool { false }
    package var nextDue: Instant { .distantFuture }
    package mutating func prefetch() {}
}

/// One tracking system: its rules, its encoder, and the steps of its state machine.
///
/// A system holds what all its devices share; a device's own state is a ``Device`` that the fleet
/// keeps and hands in. Each step happens at a time that is given, and asks for things by adding to
/// the effects. A system never looks at a clock and never draws but from named streams.
package protocol TrackingSystem {
    /// The state of one device, which the fleet keeps.
    associatedtype Device: TrackedDevice
    /// The rules that a new version of the app may change, with what follows from them.
    associatedtype RulesInForce

    /// What ``SealedEvent/label`` points into.
    var labels: [EventLabel] { get }

    /// The device with an index in the population, before it arrives.
    func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device

    /// The rules of a roll-out, ready for use.
    ///
    /// - Parameter rules: Differ from those that the system was made with in nothing but what a launch may change.
    func rulesInForce(under rules: any SystemRuleSet) -> RulesInForce

    /// The devices that are stepped from here on follow these rules. A fleet without roll-outs never asks for it.
    mutating func follow(_ rules: RulesInForce)

    /// The app was deleted: what outlasts it on the device that is made anew. That is the network, the version of the
    /// app, what the SDK has in the keychain, and what counts up, so that no id and no draw comes
    /// twice. What begins with an installation is new with it.
    ///
    /// - Parameters:
    ///   - old: The device that had the app. Its process is dead, and its store empty.
    ///   - new: Just made, with its sequence.
    func keep(of old: Device, in new: inout Device)

    /// The device is going to appear with an app that was installed, and launched, before: what its SDK keeps of that,
    /// such as that no launch is the first.
    mutating func remember(installedAt instant: Instant, on device: inout Device)

    /// The device appears, with the events that it captured before, if the rules say so.
    mutating func arrive(_ device: inout Device, effects: inout DeviceEffects)

    /// Something happens to the app.
    mutating func perform(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects)

    /// The same, for systems whose events depend on whether the app's own code answers to the action
    /// (``AppModel/PlannedAction/isAnswered``).
    mutating func perform(
        _ planned: PlannedAction, on device: inout Device, effects: inout DeviceEffects)

    /// Fires the device's next timer, which is due at `now`.
    mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects)

    /// The device's disk changes: before everything else of its moment.
    mutating func changeDisk(
        of device: inout Device, _ change: DiskChange, effects: inout DeviceEffects)

    /// See ``DeviceFleet/encode(_:request:at:into:)``.
    mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead

    /// See ``DeviceFleet/carry(_:request:at:into:)``.
    mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead?

    /// See ``DeviceFleet/encodePlain(_:request:at:into:)``.
    mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody?

    /// See ``DeviceFleet/complete(_:request:outcome:at:effects:)``.
    mutating func complete(
        _ request: RequestNumber, of device: inout Device, outcome: RequestOutcome, at now: Instant,
        effects: inout DeviceEffects)

    /// What a fetch asks for, as long as nobody has answered it; `nil` where configurations are not rolled out.
    func askedConfig(_ request: RequestNumber, of device: borrowing Device) -> AskedConfig?

    /// An upload that was asked for never begins: it carries nothing. Nothing of the device's follows from that, for
    /// the run is over, or its process.
    ///
    /// - Parameter isCounted: Whether it was counted for the events that it carries: the count is taken back.
    mutating func takeBack(_ upload: RequestNumber, isCounted: Bool, of device: inout Device)

    /// The device's network changed.
    mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects)

    /// The run ends: seals every event of the device that has no fate yet.
    mutating func finish(_ device: inout Device, effects: inout DeviceEffects)
}

extension TrackingSystem {
    /// Nothing: for devices without timers.
    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {}

    package func askedConfig(_ request: RequestNumber, of device: borrowing Device) -> AskedConfig? { nil }

    /// Nothing: for SDKs to which each launch is as good as the first.
    package mutating func remember(installedAt instant: Instant, on device: inout Device) {}

    /// Nothing: the body is to be unpacked.
    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? { nil }

    @inline(__always)
    package mutating func perform(
        _ planned: PlannedAction, on device: inout Device, effects: inout DeviceEffects
    ) {
        perform(planned.action, on: &device, at: planned.at, effects: &effects)
    }
}

extension TrackingSystem {
    /// The app is deleted: its process dies, and what it stored is gone. The device is as one that has never had it, but for
    /// its sequence, which goes on, and for ``keep(of:in:)``.
    mutating func uninstall(
        _ device: inout Device, index: Int, slot: UInt32, number: UInt32, at now: Instant,
        effects: inout DeviceEffects
    ) {
        perform(PlannedAction(at: now, action: .kill), on: &device, effects: &effects)
        // What would be left at the run's end is lost now.
        let first = effects.sealed.count
        finish(&device, effects: &effects)
        for position in first..<effects.sealed.count {
            guard case .pending = effects.sealed[position].disposition else { continue }
            effects.sealed[position].disposition = .lost(.uninstalled)
        }
        var next = makeDevice(index: index, slot: slot, number: number)
        next.nextSequence = device.nextSequence
        keep(of: device, in: &next)
        device = next
    }
}
