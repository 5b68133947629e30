import Timebase
import Wire
import World

/// What has the numbers of a link among its keys.
protocol HasLinkDraft {
    var link: LinkDraft { get set }
}

/// The numbers of a link, as decoded; what is not given stays as it is.
struct LinkDraft: Hashable, Sendable {
    var roundTrip: Distribution?
    var leastRoundTrip: Interval?
    var up: Double?
    var down: Double?
    var loss: LossDraft?
    var setUpRoundTrips: Int?
    var promotion: Interval?
    var tail: Interval?
    var refused: Double?
    var reset: Double?
    var lostReply: Double?

    /// The keys.
    ///
    /// - Parameter prefix: Whom the numbers are of.
    static func fields<Root: HasLinkDraft & Sendable>(_ prefix: String, of: Root.Type) -> [Field<Root>] {
        [
            Field(
                "rtt", \Root.link.roundTrip, DistributionDraft.milliseconds,
                prefix + "the round trip time, drawn for each request."),
            Field("rttMin", \Root.link.leastRoundTrip, time, prefix + "the least round trip time."),
            Field("up", \Root.link.up, NetworkForm.bitRate, prefix + "how fast the device sends."),
            Field("down", \Root.link.down, NetworkForm.bitRate, prefix + "how fast it receives."),
            Field("loss", \Root.link.loss, LossDraft.form, prefix + "packets that get lost, each way."),
            Field(
                "setUp", \Root.link.setUpRoundTrips, .integer(0...10),
                prefix + "round trips that open a connection; 2 by default (TCP and TLS 1.3)."),
            Field("promotion", \Root.link.promotion, time, prefix + "how long the radio takes to wake."),
            Field("tail", \Root.link.tail, time, prefix + "how long it stays awake after a request."),
            Field(
                "refused", \Root.link.refused, .share,
                prefix + "share of requests whose connection is refused."),
            Field(
                "reset", \Root.link.reset, .share,
                prefix + "share of requests whose connection breaks in mid-body."),
            Field(
                "lostReply", \Root.link.lostReply, .share,
                prefix + "share of requests that the collector gets and whose answer never comes."),
        ]
    }

    private static let time = Form<Interval>.duration(.zero...(.hours(1)))

    /// Puts what is given into a link.
    func apply(to link: inout LinkRules) {
        if let roundTrip { link.roundTrip = roundTrip }
        if let leastRoundTrip { link.leastRoundTrip = leastRoundTrip.fractionalMilliseconds }
        if let up { link.up = up }
        if let down { link.down = down }
        if let loss { (link.loss, link.burst) = (loss.rate ?? 0, loss.burst) }
        if let setUpRoundTrips { link.setUpRoundTrips = setUpRoundTrips }
        if let promotion { link.promotion = promotion }
        if let tail { link.tail = tail }
        if let refused { link.refused = refused }
        if let reset { link.reset = reset }
        if let lostReply { link.lostReply = lostReply }
    }
}

/// Lost packets, as decoded.
struct LossDraft: Hashable, Sendable {
    var rate: Double?
    var burst = 1.0

    /// Beyond this half of all packets nothing like TCP goes on.
    private static let share = Form<Double>.number(0...0.5)
    private static let format: ObjectDescription<LossDraft> = ObjectDescription(
        "Packets that get lost.", start: LossDraft.init,
        [
            Field("rate", \.rate, share, required: true, "Their share."),
            Field("burst", \.burst, .number(1...1000), "How many get lost in a row, mean."),
        ])

    static let form = Form<LossDraft>.either(
        [
            (.number, share.map { rate, _, _ in LossDraft(rate: rate) }),
            (.object, .object(format)),
        ], allowed: "a share from 0 to 0.5, or an object with \"rate\" and \"burst\"")
}
