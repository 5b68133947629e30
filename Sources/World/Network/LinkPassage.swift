package import Timebase

/// What a device's radio is about when a request begins.
package struct RadioMoment: Hashable, Sendable {
    /// When the device's way leads to another radio; ``Timebase/Instant/distantFuture`` for never.
    package var changesAt = Instant.distantFuture
    package var next = NetworkKind.none
    /// How long the radio goes on waking: the link's promotion for a request that finds it asleep, what is left of it
    /// for one that begins meanwhile.
    package var wakesFor = Interval.zero
    /// Whether a connection from before is still open.
    package var isConnected = false

    package init() {}
}

/// A request as a link sees it.
package struct LinkRequest: Sendable {
    /// For this request alone.
    package var stream: RandomStream
    /// As they cross the network, head included.
    package var bytes: Int
    package var radio: RadioMoment
    /// How long the radio stays, from the request's beginning on; `nil` for ever.
    package var staysFor: Interval?

    package init(stream: RandomStream, bytes: Int, radio: RadioMoment, staysFor: Interval?) {
        self.stream = stream
        self.bytes = bytes
        self.radio = radio
        self.staysFor = staysFor
    }
}

/// A change of the radio after the collector has the request whole; times count from the request's beginning.
package struct ReplyHandover: Hashable, Sendable {
    package var after: Interval
    /// Whether the connection breaks; else the answer is held up for the gap.
    package var breaks: Bool
    package var gap: Interval
}

extension LinkRules {
    /// What becomes of a request on the link: a function of the request alone. Takes the same draws whatever
    /// comes of them.
    ///
    /// - Complexity: O(losses).
    package func passage(of request: LinkRequest, handover: HandoverRules) -> ClientFaultVerdict {
        var draw = request.stream
        let roundTrip = min(max(self.roundTrip.sample(&draw), leastRoundTrip, 0), 86_400_000)
        let bad = badEnd(draw.uniform())
        let (breaks, gap) = (draw.chance(handover.failure), handover.gap.sample(&draw))
        let wake = request.radio.wakesFor.fractionalMilliseconds
        let opening = request.radio.isConnected ? 0 : setUp(roundTrip, request.stream.child(1))
        let sending = transfer(request.bytes, at: up, roundTrip, request.stream.child(2))
        var verdict = ClientFaultVerdict.none
        verdict.replyDelay = LinkRules.interval(
            roundTrip / 2 + transfer(LinkRules.answerBytes, at: down, roundTrip, request.stream.child(3)))
        switch bad {
        case .refused:
            // The news of it takes the round trip of the first packet.
            verdict = ClientFaultVerdict(delay: LinkRules.interval(wake + roundTrip), fate: .refused)
        case .reset:
            let half = wake + opening + sending / 2 + roundTrip / 2
            verdict = ClientFaultVerdict(delay: LinkRules.interval(half), fate: .reset(.half))
        case .lostReply, nil:
            verdict.delay = LinkRules.interval(wake + opening + sending + roundTrip / 2)
            if bad != nil { verdict.fate = .lostReply(.timeout) }
        }
        if let stays = request.staysFor {
            verdict.change(
                after: stays, breaks: breaks || request.radio.next == .none,
                gap: LinkRules.interval(min(max(gap, 0), 86_400_000)))
        }
        return verdict
    }

    private enum BadEnd { case refused, reset, lostReply }

    private func badEnd(_ quantile: Double) -> BadEnd? {
        if quantile < refused { return .refused }
        if quantile < refused + reset { return .reset }
        return quantile < refused + reset + lostReply ? .lostReply : nil
    }

    /// The time of the round trips that open a connection; what gets lost of them costs TCP's first time-out.
    private func setUp(_ roundTrip: Double, _ stream: RandomStream) -> Double {
        var draw = stream
        var time = Double(setUpRoundTrips) * roundTrip
        guard loss > 0 else { return time }
        for _ in 0..<setUpRoundTrips {
            // A packet each way.
            let lost = (draw.chance(loss) ? 1 : 0) + (draw.chance(loss) ? 1 : 0)
            time += delay(ofLosses: lost, timeout: LinkRules.firstTimeout, &draw)
        }
        return time
    }

    /// The time that bytes take beyond the way's own.
    private func transfer(
        _ bytes: Int, at rate: Double?, _ roundTrip: Double, _ stream: RandomStream
    ) -> Double {
        var draw = stream
        let packets = max(1, (bytes + LinkRules.packetBytes - 1) / LinkRules.packetBytes)
        var time = rate.map { Double(bytes) * 8000 / $0 } ?? 0
        let lost = losses(in: packets, &draw)
        if lost > 0 {
            time += delay(
                ofLosses: lost, timeout: retransmissionTimeout(roundTrip: roundTrip), &draw)
        }
        return time
    }

    /// Milliseconds, at most a day.
    private static func interval(_ milliseconds: Double) -> Interval {
        .fractional(seconds: min(milliseconds, 86_400_000) / 1000)
    }
}

extension ClientFaultVerdict {
    /// Lets the radio change so long after the request's beginning.
    fileprivate mutating func change(after stays: Interval, breaks: Bool, gap: Interval) {
        if stays >= delay {
            handover = ReplyHandover(after: stays, breaks: breaks, gap: gap)
        } else if breaks {
            self = ClientFaultVerdict(delay: stays, fate: .reset(.half))
        } else {
            delay = delay + gap
        }
    }
}
