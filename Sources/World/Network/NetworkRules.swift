package import Timebase

/// How a population's devices are connected while nothing on the timeline says otherwise.
///
/// A request begun without a radio fails at once.
package struct NetworkRules: Hashable, Sendable {
    /// The one radio of devices that keep it; of others, the radio by which nothing is decided.
    package var kind: NetworkKind
    /// How devices move from radio to radio; `nil` for one radio all the time.
    package var chain: RadioChain?
    /// What requests meet on each radio.
    package var links = RadioLinks()
    /// What a change of the radio does to a request that is under way.
    package var handover = HandoverRules()

    package init(kind: NetworkKind = .wifi) { self.kind = kind }

    /// The default: Wi-Fi without delay or loss.
    package static let ideal = NetworkRules()

    /// Whether devices keep their radio, and links have neither delay nor loss: nothing is drawn and nothing kept.
    package var isIdeal: Bool { chain == nil && links.isIdeal }

    /// Where a device's way through the radios begins; `nil` where it keeps one.
    ///
    /// - Parameter stream: The device's own, of the purpose `network`.
    package func walk(stream: RandomStream, from start: Instant) -> RadioWalk? {
        chain.map { RadioWalk(chain: $0, stream: stream, start: start) }
    }

    /// The radio that a device has at a start.
    package func initialKind(stream: RandomStream, at start: Instant) -> NetworkKind {
        guard let chain, let walk = walk(stream: stream, from: start) else { return kind }
        return walk.kind(chain)
    }
}

/// The link of each radio; one that is not set has neither delay nor loss.
package struct RadioLinks: Hashable, Sendable {
    private var rules: [LinkRules?] = Array(repeating: nil, count: NetworkKind.allCases.count)

    package init() {}

    package subscript(kind: NetworkKind) -> LinkRules? {
        get { rules[Int(kind.rawValue)] }
        set { rules[Int(kind.rawValue)] = newValue }
    }

    /// Whether any radio's link has ``LinkRules/drawsAmongEqual``.
    package var drawAmongEqual: Bool { rules.contains { $0?.drawsAmongEqual ?? false } }

    /// Whether any radio's link has ``LinkRules/needsSize``.
    package var needSizes: Bool { rules.contains { $0?.needsSize ?? false } }

    /// Whether no radio has a link.
    package var isIdeal: Bool { rules.allSatisfy { $0 == nil } }
}

/// What a change of the radio does to a request that is under way.
package struct HandoverRules: Hashable, Sendable {
    /// How likely its connection breaks, 0…1. Where no radio follows, it always does.
    package var failure = 0.0
    /// How long a request that survives is held up; milliseconds.
    package var gap = Distribution.constant(0)

    package init(failure: Double = 0, gap: Distribution = .constant(0)) {
        self.failure = failure
        self.gap = gap
    }
}
