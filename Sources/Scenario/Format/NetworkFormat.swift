import Timebase
import Wire
import World

/// A network of the scenario's own, as decoded.
struct NetworkDraft: Sendable, HasLinkDraft {
    var extends: Located<String>?
    var kind: NetworkKind?
    var link = LinkDraft()
    var chain: Located<ChainDraft>?
    var handover: HandoverDraft?

    static let format: ObjectDescription<NetworkDraft> = ObjectDescription(
        "A network: what it leaves out is that of the network that it extends, or without one neither delay nor loss.",
        start: NetworkDraft.init,
        [
            Field(
                "extends", \.extends, NetworkForm.name,
                "A preset network, or another of \"networks\", whose numbers hold where none is given here; through one "
                    + "another at most \(ScenarioBinder.chainLimit) of \"networks\"."),
            Field(
                "kind", \.kind, NetworkForm.kind,
                "The one radio that devices have, as the operating system tells the SDK; \"wifi\" by default."
            ),
            Field(
                "chain", \.chain, Form<ChainDraft>.object(ChainDraft.format).located,
                "How devices move from radio to radio, instead of \"kind\"."),
            Field(
                "handover", \.handover, .object(HandoverDraft.format),
                "What a change of the radio does to requests that are under way."),
        ] + LinkDraft.fields("Of every radio: ", of: NetworkDraft.self))
}

/// The radios of a chain, as decoded.
struct ChainDraft: Sendable {
    var wifi: Located<RadioDraft>?
    var cellular5G: Located<RadioDraft>?
    var cellular4G: Located<RadioDraft>?
    var cellular3G: Located<RadioDraft>?
    var cellular2G: Located<RadioDraft>?
    var none: Located<RadioDraft>?

    private static let radio = Form<RadioDraft>.object(RadioDraft.format).named("radio").located

    static let format: ObjectDescription<ChainDraft> = ObjectDescription(
        "The radios, two or more, each of which is reached from every other.", start: ChainDraft.init,
        [
            Field("wifi", \.wifi, radio, "Wi-Fi."),
            Field("5g", \.cellular5G, radio, "5G."),
            Field("4g", \.cellular4G, radio, "4G."),
            Field("3g", \.cellular3G, radio, "3G."),
            Field("2g", \.cellular2G, radio, "2G."),
            Field("none", \.none, radio, "No radio: nothing is sent."),
        ])

    /// In the order of the format.
    var radios: [(kind: NetworkKind, draft: Located<RadioDraft>)] {
        let all: [(NetworkKind, Located<RadioDraft>?)] = [
            (.wifi, wifi), (.cellular5G, cellular5G), (.cellular4G, cellular4G), (.cellular3G, cellular3G),
            (.cellular2G, cellular2G), (.none, none),
        ]
        return all.compactMap { kind, draft in draft.map { (kind, $0) } }
    }
}

/// A radio of a chain, as decoded.
struct RadioDraft: Sendable, HasLinkDraft {
    var dwell: Interval?
    var isRegular = false
    var jumps: JumpsDraft?
    var link = LinkDraft()

    static let format: ObjectDescription<RadioDraft> = ObjectDescription(
        "A radio of a chain.", start: RadioDraft.init,
        [
            Field(
                "dwell", \.dwell, .duration(.milliseconds(1)...(.hours(24 * 365))), required: true,
                "Mean length of a stay."),
            Field(
                "regular", \.isRegular, .boolean,
                "Whether every stay is exactly so long; by default stays are distributed exponentially."),
            Field(
                "to", \.jumps, .object(JumpsDraft.format), required: true,
                "What comes next: weights by radio."),
        ] + LinkDraft.fields("", of: RadioDraft.self))
}

/// What follows a radio, as decoded.
struct JumpsDraft: Hashable, Sendable {
    var wifi: Double?
    var cellular5G: Double?
    var cellular4G: Double?
    var cellular3G: Double?
    var cellular2G: Double?
    var none: Double?

    private static let weight = Form<Double>.number(0...1e6)

    static let format: ObjectDescription<JumpsDraft> = ObjectDescription(
        "Weights of the radios that may follow.", start: JumpsDraft.init,
        [
            Field("wifi", \.wifi, weight, "Of Wi-Fi."),
            Field("5g", \.cellular5G, weight, "Of 5G."),
            Field("4g", \.cellular4G, weight, "Of 4G."),
            Field("3g", \.cellular3G, weight, "Of 3G."),
            Field("2g", \.cellular2G, weight, "Of 2G."),
            Field("none", \.none, weight, "Of no radio."),
        ])

    var jumps: [RadioChain.Jump] {
        let all: [(NetworkKind, Double?)] = [
            (.wifi, wifi), (.cellular5G, cellular5G), (.cellular4G, cellular4G), (.cellular3G, cellular3G),
            (.cellular2G, cellular2G), (.none, none),
        ]
        return all.compactMap { kind, weight in weight.map { RadioChain.Jump(kind, $0) } }
    }
}

/// What a change of the radio does, as decoded.
struct HandoverDraft: Hashable, Sendable {
    var failure: Double?
    var gap: Distribution?

    static let format: ObjectDescription<HandoverDraft> = ObjectDescription(
        "A change of the radio.", start: HandoverDraft.init,
        [
            Field(
                "failure", \.failure, .share,
                "How likely it breaks the connection of a request; where no radio follows, it always does."),
            Field(
                "gap", \.gap, DistributionDraft.milliseconds,
                "How long requests that survive are held up."),
        ])
}
