import CollectorModel
import Timebase
import World

/// A fault of the collector as decoded.
struct FaultDraft: Hashable, Sendable {
    enum Fault: String, CaseIterable, Sendable {
        case outage, stall, latency, status, acceptThenDie, reset
        case slowBody, truncate, wrongContent, capacity, deploy
    }
    var fault: Fault?
    var share: Double?
    var status: Int?
    var retryAfter: Interval?
    var stored = false
    var latency: Distribution?
    var hold: Interval?
    var bytesPerSecond: Int?
    var bytes: Int?
    var body: String?
    var rate: Double?
    var queue: Int?
    var degrade: Double?
    var instances: Int?
    var down: Interval?
    var warmUp: Interval?
    var device: Int?
    var upload: Int?

    /// Whose keys they are; all others are for every fault.
    static let owners: [(key: String, faults: [Fault])] = [
        ("status", [.status, .wrongContent, .capacity]), ("retryAfter", [.status, .capacity]),
        ("stored", [.status]),
        ("latency", [.latency, .deploy]), ("hold", [.stall]), ("bytesPerSecond", [.slowBody]),
        ("bytes", [.slowBody, .truncate]), ("body", [.wrongContent]), ("rate", [.capacity]),
        ("queue", [.capacity]), ("degrade", [.capacity]), ("instances", [.deploy]), ("down", [.deploy]),
        ("warmUp", [.deploy]),
    ]

    static let format: ObjectDescription<FaultDraft> = ObjectDescription(
        "A fault of the collector.", start: FaultDraft.init,
        [
            Field(
                "fault", \.fault,
                .cases(
                    what: "a fault",
                    unsupported: ["partialAccept", "slowReply", "redirect", "dns", "tls", "throttle"]),
                required: true,
                "outage: connections are refused; stall: no answer; latency: late answers; status: "
                    + "another status, nothing stored unless \"stored\" says so; acceptThenDie: stored, but no answer; reset: reset before reading; "
                    + "slowBody: stored, the answer's body drips; truncate: stored, the answer ends early; "
                    + "wrongContent: somebody else's page, nothing stored; capacity: a limited rate with a "
                    + "queue; deploy: instances restart one after another."),
            Field("share", \.share, .share, "Share of the requests concerned; an outage has none."),
            Field(
                "status", \.status, .integer(200...599),
                "For status: the answer's. A 2xx loses events silently. For wrongContent: 200 by default. "
                    + "For capacity: the answer where the queue is full, 503 by default."),
            Field(
                "retryAfter", \.retryAfter, .duration(.seconds(1)...(.hours(24 * 30))),
                "For status and capacity: a Retry-After header with it, in whole seconds."),
            Field(
                "stored", \.stored, .boolean,
                "For status: whether uploads are stored first, as by a server that fails behind its commit, or "
                    + "answers 201 or 204; false by default."),
            Field(
                "latency", \.latency, DistributionDraft.milliseconds,
                "For latency: how long each answer waits. For deploy: the same of an instance that warms "
                    + "up; 1s by default."),
            Field(
                "hold", \.hold, .duration(.milliseconds(1)...(.hours(24 * 30))),
                "For stall: answers come after this time; by default when the entry ends."),
            Field(
                "bytesPerSecond", \.bytesPerSecond, .integer(1...1_000_000_000),
                "For slowBody: the pace of the answer's body; its head comes at once."),
            Field(
                "bytes", \.bytes, .integer(1...10_000_000),
                "For slowBody and truncate: a shorter body is filled up with spaces to this length. A cut "
                    + "answer ends after half of its body; 1000 by default."),
            Field(
                "body", \.body, .text(limit: 100_000),
                "For wrongContent: the page; by default one that asks to sign in."),
            Field(
                "rate", \.rate,
                .either(
                    [
                        (.number, .number(0...1e9, above: true)),
                        (.string, Form<Double>.rate(of: "requests")),
                    ], allowed: "requests per second, or a rate such as \"200 requests/s\""),
                "For capacity: requests per second that are served, or a rate such as \"90 requests/min\"."),
            Field(
                "queue", \.queue, .integer(0...10_000_000),
                "For capacity: requests that may wait; the next is answered with the status."),
            Field(
                "degrade", \.degrade, .number(0...1000),
                "For capacity: how much longer a request is served that finds the queue full: 1 for twice "
                    + "as long, less in proportion; 0 by default."),
            Field(
                "instances", \.instances, .integer(1...1000),
                "For deploy: instances of the collector, which share the requests evenly by chance."),
            Field(
                "down", \.down, .duration(.milliseconds(1)...(.hours(24))),
                "For deploy: how long each is away; its requests are reset."),
            Field(
                "warmUp", \.warmUp, .duration(.zero...(.hours(24))),
                "For deploy: how long each answers late after that; 0s by default."),
            Field(
                "device", \.device, .integer(0...4_294_967_294),
                "Only requests of the device with this number."),
            Field(
                "upload", \.upload, .integer(0...4_294_967_294), "Only its upload with this number, from 0."),
        ])
}

/// A fault of the client's side as decoded.
struct ClientFaultDraft: Hashable, Sendable {
    enum Fault: String, CaseIterable, Sendable {
        case delay, drop, reset, lostReply
    }
    var fault: Fault?
    var latency: Distribution?
    var after: ClientFault.ResetPoint?
    var seenAs: ClientFault.LostReply?
    var deviceShare = 1.0
    var device: Int?
    var upload: Int?

    /// Whose keys they are; all others are for every fault.
    static let owners: [(key: String, fault: Fault)] = [
        ("latency", .delay), ("after", .reset), ("as", .lostReply),
    ]

    static let format: ObjectDescription<ClientFaultDraft> = ObjectDescription(
        "A fault on the devices' side of the network. The entry's share is of their requests.",
        start: ClientFaultDraft.init,
        [
            Field(
                "fault", \.fault, .cases(what: "a fault"), required: true,
                "delay: requests leave late; drop: they never leave; reset: the connection is reset before "
                    + "they are whole; lostReply: they are delivered, the answer gets lost."),
            Field(
                "latency", \.latency, DistributionDraft.milliseconds,
                "For delay: how late. The SDK's timeout runs meanwhile."),
            Field(
                "after", \.after, .cases(what: "a moment"),
                "For reset: once connected (the default), or after half of the request's bytes."),
            Field(
                "as", \.seenAs, .cases(what: "an end"),
                "For lostReply: what the device sees, a reset when the answer should come (the default) or "
                    + "its timeout."),
            Field(
                "deviceShare", \.deviceShare, .share,
                "Share of the devices concerned, the same ones throughout."),
            Field(
                "device", \.device, .integer(0...4_294_967_294), "Only the device with this number."),
            Field(
                "upload", \.upload, .integer(0...4_294_967_294),
                "Only uploads with this number on their device, from 0."),
        ])
}
