package import AppModel
package import Timebase
package import World

/// The rules of one system's version, as far as anything beyond the system itself asks about them.
package protocol SystemRuleSet: Hashable, Sendable {
    /// The versions, by their names in scenarios; the first is the default.
    associatedtype Version: RawRepresentable<String> & CaseIterable & Sendable
    /// The system's name in scenarios and in the collector's store.
    static var systemName: String { get }
    /// Whether devices send archives of whole days, on a later day: nothing that they capture leaves them before, and
    /// an upload's size is no sum over its events.
    static var sendsDailyArchives: Bool { get }
    /// The version that the rules began as; a scenario may have changed each of them since.
    var version: Version { get }
    /// A version's own rules.
    init(version: Version)
    /// See ``makeFleet(plan:share:)``.
    func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet
    /// Path and query to which devices upload where the target says no more than an origin.
    ///
    /// - Parameter account: What the target has as account or project; empty for none.
    func defaultPath(account: String) -> String
    /// The paths, without queries, to which devices with this target upload.
    func uploadPaths(of target: PopulationPlan.Target) -> [String]
    /// Standard deviation of the devices' clock errors.
    var clockSkew: Interval { get }
    /// Events that each device captured before the start.
    var prefill: Int { get set }
    /// Whether an app can track events in its code. If not, hooks alone capture, and business events are
    /// nothing to the system.
    var tracksCode: Bool { get }
    /// Whether events of the app's code carry what it registers for all of them, where they have nothing of its
    /// name.
    var sendsSuperProperties: Bool { get }
    /// Whether the SDK takes a property of this name from the app's code.
    func takesProperty(named key: String) -> Bool
    /// What an event bears where the app's code passes a property with this value.
    func sent(_ value: PropertyValue) -> PropertyValue
    /// Whether devices keep their events in files of the machine.
    var storesInFiles: Bool { get }
    /// Connections that a device may have open over HTTP/1.1, where each has its own: as many as it may have requests side
    /// by side, however long answers take. Idle ones stay for a while.
    var connectionsPerDevice: Int { get }
    /// Uploads that a device has in flight side by side, at most, where no answer takes longer than its triggers are
    /// apart. Of several that end at one instant, nothing says which ends first.
    var uploadsAtOnce: Int { get }
    /// Whether what a device's store makes of answers is drawn answer by answer, so that what becomes of events hangs on
    /// which of several answers of one instant comes first.
    var drawsByAnswer: Bool { get }
    /// What an event follows from that the SDK clears away without having sent it.
    var clearing: UnsentClearing { get }
    /// Whether an app in the background goes on uploading, which no drain waits for.
    var uploadsInBackground: Bool { get }
    /// Whether the SDK does something of itself when the network changes: devices are woken for it then.
    var actsOnNetworks: Bool { get }
    /// How often a device in use uploads what it has.
    var uploadInterval: Interval { get }
    /// The memory that devices take in virtual time.
    var footprint: DeviceFootprint { get }
    /// How much a device holds at most, and what it may do.
    ///
    /// - Parameter disksFail: Whether devices' disks may refuse writes.
    func statedBounds(disksFail: Bool) -> StatedBounds
    /// How long it takes at most until an app in the foreground has uploaded rows, where every upload succeeds within a second; `nil`
    /// where nothing but users' doings may set one off, or what succeeds may stay.
    ///
    /// - Parameter network: The device's, all that time.
    func longestDrain(ofRows rows: Int, on network: NetworkKind) -> Interval?
    /// Whether every event bears an id of the harness; the others are known by natural keys.
    var tagsAllEvents: Bool { get }
    /// What events say of a device, whether it has any or not.
    ///
    /// - Parameter index: The device's in the population.
    func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity
}

extension SystemRuleSet {
    package static var sendsDailyArchives: Bool { false }
    /// The system's name in scenarios and in the collector's store.
    package var systemName: String { Self.systemName }
    /// The version's name in scenarios.
    package var versionName: String { version.rawValue }
    /// The target's own.
    package func uploadPaths(of target: PopulationPlan.Target) -> [String] {
        [String(target.pathAndQuery.prefix { $0 != "?" })]
    }
    package var clockSkew: Interval { .zero }
    package var prefill: Int {
        get { 0 }
        set {}
    }
    package var tracksCode: Bool { true }
    package var sendsSuperProperties: Bool { false }
    package func takesProperty(named key: String) -> Bool { true }
    package func sent(_ value: PropertyValue) -> PropertyValue { value }
    package var storesInFiles: Bool { false }
    package var connectionsPerDevice: Int { 1 }
    package var uploadsAtOnce: Int { 1 }
    package var drawsByAnswer: Bool { false }
    package var clearing: UnsentClearing { .uploadEnd }
    package var uploadsInBackground: Bool { false }
    package var actsOnNetworks: Bool { false }
    package var footprint: DeviceFootprint { DeviceFootprint() }
    package var tagsAllEvents: Bool { true }
    package func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity { DeviceIdentity() }
    package func statedBounds(disksFail: Bool) -> StatedBounds { StatedBounds() }
    package func longestDrain(ofRows rows: Int, on network: NetworkKind) -> Interval? { nil }
}

/// What the fate of an event follows from that an SDK clears away without having sent it.
package enum UnsentClearing: Sendable {
    /// The end of an upload that did not carry it, at that instant.
    case uploadEnd
    /// The same; but an event that is on its way in another upload has its fate when that one ends.
    case uploadEndOnceUnderWay
    /// Nothing but itself, such as a row of which no body can be made: whatever has just ended.
    case itself
}

/// Makes the devices of a population, or of a shard's share of it, with their stores in memory,
/// whatever backend the plan names.
package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
    plan.system.makeFleet(plan: plan, share: share)
}
