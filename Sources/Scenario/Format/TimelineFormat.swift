import CollectorModel
import Timebase
import World

/// An entry of the timeline as decoded.
struct TimelineDraft: Hashable, Sendable {
    var at: Interval?
    var length: Interval?
    var share: Double?
    var population: Located<String>?
    var collector: Located<FaultDraft>?
    var remoteConfig: Located<RemoteConfigDraft>?
    var device: Located<DeviceDraft>?

    static let form = Form<TimelineDraft>.object(format).located

    private static let format: ObjectDescription<TimelineDraft> = ObjectDescription(
        "Something that happens at a time: exactly one of \"collector\", \"remoteConfig\" and \"device\".",
        start: TimelineDraft.init,
        [
            Field("at", \.at, .duration(), required: true, "Time since the start."),
            Field(
                "for", \.length, .duration(.milliseconds(1)...Form<Interval>.longest),
                "How long; by default to the end of the run."),
            Field(
                "share", \.share, .share, "Share of the requests, or of the devices, concerned; 1 by default."
            ),
            Field(
                "population", \.population, Form<String>.text().located,
                "For \"device\": the only population concerned."),
            Field(
                "collector", \.collector, Form<FaultDraft>.object(FaultDraft.format).located,
                "The collector misbehaves."),
            Field(
                "remoteConfig", \.remoteConfig,
                Form<RemoteConfigDraft>.object(RemoteConfigDraft.format).located,
                "The collector serves this configuration, whole: what is left out has its default. "
                    + "With \"for\", the one before comes back."),
            Field(
                "device", \.device, Form<DeviceDraft>.object(DeviceDraft.format).located,
                "The devices' network changes."),
        ])
}

/// A fault of the collector as decoded.
struct FaultDraft: Hashable, Sendable {
    enum Fault: String, CaseIterable, Sendable {
        case outage, stall, latency, status, acceptThenDie, reset
    }
    var fault: Fault?
    var share: Double?
    var status: Int?
    var latency: Distribution?
    var hold: Interval?
    var device: Int?
    var upload: Int?

    static let format: ObjectDescription<FaultDraft> = ObjectDescription(
        "A fault of the collector.", start: FaultDraft.init,
        [
            Field(
                "fault", \.fault,
                .cases(
                    what: "a fault",
                    unsupported: [
                        "partialAccept", "slowReply", "truncate", "redirect", "dns", "tls", "throttle",
                    ]),
                required: true,
                "outage: connections are refused; stall: no answer; latency: late answers; status: "
                    + "another status, "
                    + "nothing stored; acceptThenDie: stored, but no answer; reset: reset before reading."),
            Field("share", \.share, .share, "Share of the requests concerned; an outage has none."),
            Field(
                "status", \.status, .integer(200...599),
                "For status: the answer's. A 2xx loses events silently."),
            Field(
                "latency", \.latency, DistributionDraft.milliseconds,
                "For latency: how long each answer waits."),
            Field(
                "hold", \.hold, .duration(.milliseconds(1)...(.hours(24 * 30))),
                "For stall: answers come after this time; by default when the entry ends."),
            Field(
                "device", \.device, .integer(0...4_294_967_294),
                "Only requests of the device with this number."),
            Field(
                "upload", \.upload, .integer(0...4_294_967_294), "Only its upload with this number, from 0."),
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

    static let format: ObjectDescription<RemoteConfigDraft> = ObjectDescription(
        "A remote configuration of Sensors.", start: RemoteConfigDraft.init,
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
        ])
}

/// A change of the devices' network as decoded.
struct DeviceDraft: Hashable, Sendable {
    var network: NetworkKind?

    static let format: ObjectDescription<DeviceDraft> = ObjectDescription(
        "What happens to devices.", start: DeviceDraft.init,
        unsupported: ["kill", "clock", "uninstall", "storage"].map {
            .init(name: $0, instead: "\"network\"")
        },
        [
            Field(
                "network", \.network, NetworkForm.kind, required: true,
                "The network that they have meanwhile.")
        ])
}
