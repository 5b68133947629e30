package import DeviceSDK
package import Timebase
package import World

/// The rules of KitAnalysisOfUserBehavior, one knob each. ``init(version:)`` gives a version's own values.
///
/// Sources: the project's code, version 1.0 (`KitUserStatisicsUtil.m` and its categories), and its published
/// description, which differs in the codes of three controls.
package struct KitRules: Hashable, Sendable {
    /// The versions, by their names in scenarios; the first is the default.
    package enum Version: String, CaseIterable, Sendable {
        case v1 = "1.0"
        /// The published description where it differs from the code.
        case document
    }

    /// Which numbers stand for which controls.
    package enum TypeCodes: String, CaseIterable, Sendable {
        /// As the code writes them: slider, switch and stepper share 102, any other control has 103.
        case source
        /// As the description lists them: 102 slider, 103 switch, 104 stepper, 105 any other.
        case document
    }

    /// Which files a positive answer removes.
    package enum Clear: String, CaseIterable, Sendable {
        /// Every file whose name lacks the date of that moment: a day that ended meanwhile goes with them,
        /// though no archive has it.
        case otherDays = "other-days"
        /// The files in the archive, and nothing else: the corrected SDK.
        case sentOnly = "sent-only"
    }

    package var version: Version
    package var typeCodes: TypeCodes
    package var clear = Clear.otherDays
    package var storage = Storage()
    package var upload = Upload()
    /// Standard deviation of the devices' clock errors.
    package var clockSkew = Interval.zero

    /// A file per local day; no limit, no eviction, unless an own policy has one.
    package struct Storage: Hashable, Sendable {
        /// Rows that each device wrote on the day before the run's start.
        package var prefill = 0
        /// Age at which files are removed at a start of the app, from the end of their day on; no version does so.
        package var ttl: Interval?
        /// Bytes of rows that all files hold at most; then the oldest file goes. No version has such a bound.
        package var maxBytes: Int?
    }

    /// At each start of the app, of all earlier days; there is no other trigger.
    package struct Upload: Hashable, Sendable {
        /// AFNetworking's request serializer is told so.
        package var timeout = Interval.seconds(8)
        /// The networks on which it uploads; `nil` for all, no network included: no version asks.
        package var networks: Set<NetworkKind>?
        /// Which answers that are not 2xx leave the archive's files: all, in every version.
        package var keeps = KeepRule.notSuccess
        /// What an upload that did not succeed changes. Nothing, in every version; no policy splits, since files
        /// of days go whole.
        package var retry = RetryPolicy()
    }

    /// A version's own values.
    package init(version: Version) {
        self.version = version
        typeCodes = version == .document ? .document : .source
    }
}

extension KitRules: SystemRuleSet {
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        var bounds = StatedBounds()
        bounds.keeps = upload.keeps
        bounds.rejects = !disksFail
        bounds.clearsUnsent = clear == .otherDays
        bounds.obey(upload.retry)
        return bounds
    }

    package static var systemName: String { "kit" }
    package static var sendsDailyArchives: Bool { true }
    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        KitFleet(FleetCore(plan: plan, share: share, system: KitSystem(plan: plan, rules: self)))
    }
    package func defaultPath(account: String) -> String { "/uploadIosLogfiles.do1" }
    package var prefill: Int {
        get { storage.prefill }
        set { storage.prefill = newValue }
    }
    package func identity(ofDevice index: Int, in plan: PopulationPlan) -> DeviceIdentity {
        let handset = KitHandset(
            traits: plan.stream(.traits, index: index), identity: plan.stream(.identity, index: index))
        return DeviceIdentity(
            anonymousID: handset.uuid, model: handset.model, systemVersion: handset.system)
    }
    package var tracksCode: Bool { false }
    /// Only controls have a place for it.
    package var tagsAllEvents: Bool { false }
    /// Between two uploads lies a day at least.
    package var uploadInterval: Interval { .hours(24) }
}

private final class KitFleet: SpecialisedFleet {
    @exclusivity(unchecked) var core: FleetCore<KitSystem>
    init(_ core: FleetCore<KitSystem>) { self.core = core }
}
