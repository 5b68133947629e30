import CollectorModel
import Timebase
import World
import Wire

/// A fault as decoded.
struct FaultDraft<Fault: Sendable>: Sendable {
    var fault: Fault
    /// What charts and messages call it.
    var text: String
    /// Reports what only the entry of the timeline can tell.
    var check: @Sendable (FaultEntry, inout Reading) -> Void = { _, _ in }
}

/// The entry of the timeline to which a fault belongs.
struct FaultEntry {
    var place: Place
    /// `nil` for the rest of the run.
    var length: Interval?
    /// Whether it says how long, be it sound or not.
    var saysLength: Bool
    /// Whether it concerns every request.
    var isForAll: Bool
}

/// Which requests a collector's fault concerns, as decoded.
struct FaultScopeDraft: Hashable, Sendable {
    var share: Double?
    var device: Int?
    var upload: Int?
}

/// The faults of the collector: each has one description, of its keys, of how it is made of them, and of its text.
///
/// A further one adds itself to ``union``.
enum CollectorFaultFormat {
    typealias Union = TaggedUnion<FaultScopeDraft, FaultDraft<CollectorFault>>
    typealias Fault = Alternative<FaultDraft<CollectorFault>>

    static let union = Union(
        doc: "A fault of the collector.", tag: "fault",
        unsupported: ["partialAccept", "slowReply", "redirect", "dns", "tls", "throttle"],
        common: ObjectDescription(
            "Whom it concerns.", start: FaultScopeDraft.init,
            [
                Field("share", \.share, .share, "Share of the requests concerned; an outage has none."),
                Field(
                    "device", \.device, .integer(0...4_294_967_294),
                    "Only requests of the device with this number."),
                Field(
                    "upload", \.upload, .integer(0...4_294_967_294),
                    "Only its upload with this number, from 0."),
            ]),
        alternatives: [
            outage, stall, latency, status, acceptThenDie, reset, slowBody, truncate, wrongContent,
            invalidEvents, capacity, deploy,
        ])

    private static let outage = Fault("outage", "connections are refused", start: ()) {
        FaultDraft(fault: .outage, text: "outage") { entry, reading in
            guard !entry.isForAll else { return }
            reading.report(
                .conflict, entry.place, found: "an outage for some",
                allowed: "an outage for all; \"reset\" has shares")
        }
    }

    private static let stall = Fault(
        "stall", "no answer", start: Interval?.none,
        [
            Field(
                "hold", \.self, .duration(.milliseconds(1)...(.hours(24 * 30))),
                "Answers come after this time; by default when the entry ends.")
        ]
    ) { hold in
        FaultDraft(
            fault: .stall(hold), text: hold.map { "answers held for \($0.text)" } ?? "no answers")
    }

    private static let latency = Fault(
        "latency", "late answers", start: Distribution.constant(0),
        [
            Field(
                "latency", \.self, DistributionDraft.milliseconds, required: true,
                "How long each answer waits.")
        ]
    ) { latency in
        FaultDraft(fault: .latency(latency), text: "latency \(latency.faultText)")
    }

    private static let acceptThenDie = Fault("acceptThenDie", "stored, but no answer", start: ()) {
        FaultDraft(fault: .acceptThenDie, text: "replies lost")
    }

    private static let reset = Fault("reset", "reset before reading", start: ()) {
        FaultDraft(fault: .resetBeforeReading, text: "connections reset")
    }
}

// MARK: - Faults of the client's side

/// Which requests a fault of the client's side concerns, as decoded.
struct ClientFaultScopeDraft: Hashable, Sendable {
    var deviceShare = 1.0
    var device: Int?
    var upload: Int?
}

/// The faults of the client's side; a further one adds itself to ``union``.
enum ClientFaultFormat {
    typealias Union = TaggedUnion<ClientFaultScopeDraft, FaultDraft<ClientFault>>
    private typealias Fault = Alternative<FaultDraft<ClientFault>>

    static let union = Union(
        doc: "A fault on the devices' side of the network. The entry's share is of their requests.",
        tag: "fault", unsupported: [],
        common: ObjectDescription(
            "Whom it concerns.", start: ClientFaultScopeDraft.init,
            [
                Field(
                    "deviceShare", \.deviceShare, .share,
                    "Share of the devices concerned, the same ones throughout."),
                Field(
                    "device", \.device, .integer(0...4_294_967_294),
                    "Only the device with this number."),
                Field(
                    "upload", \.upload, .integer(0...4_294_967_294),
                    "Only uploads with this number on their device, from 0."),
            ]),
        alternatives: [delay, drop, reset, lostReply])

    private static let delay = Fault(
        "delay", "requests leave late", start: Distribution.constant(0),
        [
            Field(
                "latency", \.self, DistributionDraft.milliseconds, required: true,
                "How late. The SDK's timeout runs meanwhile.")
        ]
    ) { latency in
        FaultDraft(fault: .delay(latency), text: "requests delayed \(latency.faultText)")
    }

    private static let drop = Fault("drop", "they never leave", start: ()) {
        FaultDraft(fault: .drop, text: "requests dropped")
    }

    private static let reset = Fault(
        "reset", "the connection is reset before they are whole", start: ClientFault.ResetPoint.connect,
        [
            Field(
                "after", \.self, .cases(what: "a moment"),
                "Once connected (the default), or after half of the request's bytes.")
        ]
    ) { point in
        let suffix = point == .half ? " in the middle of requests" : ""
        return FaultDraft(fault: .reset(point), text: "connections reset" + suffix)
    }

    private static let lostReply = Fault(
        "lostReply", "they are delivered, the answer gets lost", start: ClientFault.LostReply.reset,
        [
            Field(
                "as", \.self, .cases(what: "an end"),
                "What the device sees, a reset when the answer should come (the default) or its timeout.")
        ]
    ) { end in
        FaultDraft(
            fault: .lostReply(end), text: "replies lost" + (end == .timeout ? " without a sign" : ""))
    }
}

extension Distribution {
    /// How late something is, for charts; of milliseconds.
    fileprivate var faultText: String {
        switch self {
        case .constant(let milliseconds): Interval.fractional(seconds: milliseconds / 1000).text
        case .lognormal(let median, let sigma):
            "around \(Interval.fractional(seconds: median / 1000).text) "
                + "(sigma \(JSONNode.number(sigma).compactText))"
        default: "by a distribution"
        }
    }
}
