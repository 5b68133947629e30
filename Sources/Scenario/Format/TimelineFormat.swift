import CollectorModel
import DeviceSDK
import Timebase
import Wire
import World

/// An entry of the timeline as decoded.
struct TimelineDraft: Sendable {
    var at: Interval?
    var length: Interval?
    var share: Double?
    var population: Located<String>?
    var name: Located<String>?
    var region: Located<String>?
    var over: Located<Interval>?
    var collector: Located<CollectorFaultFormat.Union.Draft>?
    var client: Located<ClientFaultFormat.Union.Draft>?
    var remoteConfig: Located<RemoteConfigDraft>?
    var device: Located<DeviceDraft>?
    var push: Located<PushDraft>?
    /// Decoded for each population that it concerns.
    var sdk: Place?

    /// Whether it gets around among devices, or reaches a part of them alone.
    var isRolledOut: Bool { over != nil || share ?? 1 < 1 }

    /// What an entry may be about; the raw value is its key.
    enum Kind: String, CaseIterable {
        case collector, client, remoteConfig, device, push, sdk

        /// Whether it is about devices, which a collector of its own has none of.
        var needsDevices: Bool {
            switch self {
            case .collector, .remoteConfig: false
            case .client, .device, .push, .sdk: true
            }
        }
    }

    static let form = Form<TimelineDraft>.object(format).located

    private static let format: ObjectDescription<TimelineDraft> = ObjectDescription(
        "Something that happens at a time: exactly one of \"collector\", \"client\", "
            + "\"remoteConfig\", \"device\", \"push\" and \"sdk\".",
        start: TimelineDraft.init, oneOf: Kind.allCases.map(\.rawValue),
        [
            Field("at", \.at, .duration(), required: true, "Time since the start."),
            Field(
                "for", \.length, .duration(.milliseconds(1)...Form<Interval>.longest),
                "How long; by default to the end of the run."),
            Field(
                "share", \.share, .share,
                "Share of the requests, of the devices or of the users concerned; 1 by default."
            ),
            Field(
                "population", \.population, Form<String>.text().located,
                "For \"client\", \"device\", \"push\" and \"sdk\": the only population concerned."),
            Field(
                "region", \.region, Form<String>.text(limit: 64).located,
                "For \"device\" with a \"network\": the \"share\" is that of the region of this name, and the devices are "
                    + "the same in every entry that names it."),
            Field(
                "over", \.over, Form<Interval>.duration(.zero...Form<Interval>.longest).located,
                "For \"sdk\" and \"remoteConfig\": how long it takes until each device has had its moment; by default all have "
                    + "it at once."
            ),
            Field(
                "name", \.name, ScenarioDraft.identifier.located,
                "What reports call the entry; no other has the same."),
            Field(
                "collector", \.collector, CollectorFaultFormat.union.form.located,
                "The collector misbehaves."),
            Field(
                "client", \.client, ClientFaultFormat.union.form.located,
                "Requests go wrong on the devices' side of the network, whatever collector they are for."),
            Field(
                "remoteConfig", \.remoteConfig,
                Form<RemoteConfigDraft>.object(RemoteConfigDraft.format).located,
                "The collector serves this configuration, whole: what is left out has its default. "
                    + "With \"for\", the one before comes back."),
            Field(
                "device", \.device, Form<DeviceDraft>.object(DeviceDraft.format).located,
                "The devices' network or disk changes, or what their users consent to."),
            Field(
                "push", \.push, Form<PushDraft>.object(PushDraft.format).located,
                "A notification makes users open the app."),
            Field(
                "sdk", \.sdk, SystemFormat.rollOut,
                "A new version of the app changes rules of the SDK: each device takes them at the first launch of the app "
                    + "after its moment, drawn evenly from \"at\" on. Knobs of \"upload\" and of the store's limits; of described "
                    + "SDKs also \"answers\" and \"retry\"."
            ),
        ])
}

/// A push notification as decoded.
struct PushDraft: Hashable, Sendable {
    var share: Double?
    var within = Interval.minutes(1)

    static let format: ObjectDescription<PushDraft> = ObjectDescription(
        "A notification to everybody: a share of the users opens the app.", start: PushDraft.init,
        [
            Field("share", \.share, .share, "Share of the users who open it; 1 by default."),
            Field(
                "within", \.within, .duration(.milliseconds(1)...(.hours(24 * 30))),
                "The time in which they do, most of them early."),
        ])
}

/// A served configuration as decoded.
struct RemoteConfigDraft: Hashable, Sendable {
    var version: String?
    var disableSDK = false
    var disableDebugMode = false
    var autoTrackMode = -1
    var eventBlacklist: [String] = []
    var effectMode = 0
    /// What described SDKs get, whole, and at which path.
    var answer: JSONNode?
    var path: String?

    static let format: ObjectDescription<RemoteConfigDraft> = ObjectDescription(
        "A remote configuration of Sensors, or the answer that described SDKs get.",
        start: RemoteConfigDraft.init,
        [
            Field("v", \.version, .text(limit: 100), "Its version; by default a number that counts up."),
            Field("disableSDK", \.disableSDK, .boolean, "Events are no longer tracked."),
            Field("disableDebugMode", \.disableDebugMode, .boolean, "Debug mode ends."),
            Field(
                "autoTrackMode", \.autoTrackMode, .integer(-1...15),
                "-1: the app's own choice; else the sum of 1 $AppStart, 2 $AppEnd, 4 $AppClick, 8 "
                    + "$AppViewScreen."
            ),
            Field(
                "eventBlacklist", \.eventBlacklist, .list(of: .text(limit: 255), count: 0...1000),
                "Events that are dropped."),
            Field(
                "effectMode", \.effectMode, .integer(0...1),
                "0: takes effect at the next start; 1: at once (4.9.1)."),
            Field(
                "answer", \.answer, DeclaredForms.jsonObject,
                "What described SDKs get when they fetch a configuration (sdk.config): JSON, whole; without the keys of "
                    + "Sensors' configurations."
            ),
            Field(
                "path", \.path, DeclaredForms.path,
                "Beside \"answer\": only fetches of this path get it; a part in braces such as {key} is any. An answer for a "
                    + "path goes before one for all."),
        ])
}

/// A change of the devices' network or disk, or of their users' will, as decoded.
struct DeviceDraft: Hashable, Sendable {
    enum Consent: String, CaseIterable, Sendable { case given, withdrawn }

    var network: NetworkKind?
    var disk: DiskFailure?
    var consent: Consent?

    static let format: ObjectDescription<DeviceDraft> = ObjectDescription(
        "What happens to devices: exactly one of the three.", start: DeviceDraft.init,
        oneOf: ["network", "disk", "consent"],
        unsupported: ["kill", "clock", "uninstall", "storage"].map {
            .init(name: $0, instead: "\"network\", \"disk\" or \"consent\"")
        },
        [
            Field(
                "network", \.network, NetworkForm.kind, "The network that they have meanwhile."),
            Field(
                "disk", \.disk, .cases(what: "a failure of the disk"),
                "full: every write into the store's file fails; readOnly: the file can only be read; corrupt: "
                    + "the file is damaged, for good: what was stored is lost, and what is captured then."),
            Field(
                "consent", \.consent, .cases(what: "what users say"),
                "What users of described SDKs say to being tracked, with the next thing that they do in the app; "
                    + "at the end of the entry they say what they said before."),
        ])
}
