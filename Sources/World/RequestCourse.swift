package import Timebase

/// The course of one request on the client's side of the network, from the wish of its device to its end: both
/// engines ask it what to do next, and when, and tell it what has happened.
///
/// It knows neither connections nor bytes: how a request is sent, cut off in the middle or answered is the engine's
/// affair. What a ``ClientFaultVerdict`` and the SDK's limit say is real time, counted from the moment of the wish;
/// the moments here are those of the run's clock.
package struct RequestCourse: Hashable, Sendable {
    package enum Stage: Hashable, Sendable {
        /// Its device asked for it, and nothing has been done.
        case asked
        /// The client's side keeps it from leaving until then.
        case held(until: Instant)
        /// It may leave, and waits for a connection.
        case waiting
        /// It leaves, or has left.
        case underway
        /// Nothing happens any more before its connection breaks or its limit is reached.
        case silent
        /// Its answer is on the way, and there at that moment.
        case returning(until: Instant)
        /// Its device gets to know how it ended.
        case ended
        /// Its device has it back, unsent.
        case returned
    }

    /// What an engine does with a request.
    package enum Action: Hashable, Sendable {
        /// Sends it, as far as the verdict's fate lets it come.
        case send
        /// Nothing until then.
        case hold(until: Instant)
        /// Nothing until it breaks or its limit is reached.
        case keepSilent
        /// Tells its device that it failed.
        case fail(RequestFailure)
        /// Gives its device the answer.
        case deliver
        /// Gives it back to its device, as if it had not been asked for.
        case giveBack
    }

    package private(set) var stage = Stage.asked
    package let verdict: ClientFaultVerdict
    /// When its device asked for it.
    package let begunAt: Instant
    /// How long the SDK waits, in real time.
    private let limit: Interval
    /// Seconds of the run in a second of real time.
    private let pace: Int64
    private let hasNetwork: Bool

    /// The course of a request that its device asks for now.
    ///
    /// - Parameters:
    ///   - limit: How long the SDK waits, in real time.
    ///   - hasNetwork: Whether the device has a radio.
    ///   - pace: Seconds of the run in a second of real time, 1 or more.
    package init(
        _ verdict: ClientFaultVerdict, limit: Interval, hasNetwork: Bool, pace: Int64 = 1, at now: Instant
    ) {
        self.verdict = verdict
        self.limit = limit
        self.hasNetwork = hasNetwork
        self.pace = pace
        begunAt = now
    }

    /// When the SDK's limit is reached.
    package var endsAt: Instant { begunAt + limit.stretched(by: pace) }

    /// When a change of the radio breaks the connection, unless the answer is there before; `nil` for never.
    package var breaksAt: Instant? {
        verdict.handover.flatMap { $0.breaks ? begunAt + $0.after.stretched(by: pace) : nil }
    }

    /// When to ask ``proceed(at:isClosing:)`` next, if nothing else happens; ``Timebase/Instant/distantFuture`` for
    /// never.
    package var nextMoment: Instant {
        switch stage {
        case .asked, .ended, .returned: .distantFuture
        case .waiting, .underway, .silent: cutAt
        case .held(let moment), .returning(let moment): min(moment, cutAt)
        }
    }

    /// When it is over at the latest, with or without an answer.
    private var cutAt: Instant { breaksAt.map { min($0, endsAt) } ?? endsAt }

    /// Goes on as far as the time lets it.
    ///
    /// - Parameter isClosing: Whether the run's drain is over, so that nothing leaves any more.
    /// - Returns: what is to be done now; `nil` for nothing.
    package mutating func proceed(at now: Instant, isClosing: Bool) -> Action? {
        switch stage {
        case .asked: return begin(isClosing)
        case .ended, .returned: return nil
        // What is due before the end comes before it, however late it is asked for.
        case .returning(let moment) where moment <= now && moment < cutAt:
            stage = .ended
            return .deliver
        case .held(let moment) where moment <= now && now < cutAt:
            return isClosing ? goBack() : leave()
        case .held, .waiting, .underway, .silent, .returning:
            guard cutAt <= now else { return nil }
            return fail(cutAt < endsAt ? .reset : .timedOut)
        }
    }

    private mutating func begin(_ isClosing: Bool) -> Action {
        if isClosing { return goBack() }
        guard hasNetwork else { return fail(.offline) }
        // What is held up for as long as the SDK waits never leaves.
        if verdict.fate == .drop || verdict.delay >= limit {
            stage = .silent
            return .keepSilent
        }
        guard verdict.delay > .zero else { return leave() }
        let moment = begunAt + verdict.delay.stretched(by: pace)
        stage = .held(until: moment)
        return .hold(until: moment)
    }

    private mutating func leave() -> Action {
        if verdict.fate == .refused { return fail(.refused) }
        stage = .underway
        return .send
    }

    private mutating func goBack() -> Action {
        stage = .returned
        return .giveBack
    }

    private mutating func fail(_ failure: RequestFailure) -> Action {
        stage = .ended
        return .fail(failure)
    }
}

// MARK: - What an engine tells

extension RequestCourse {
    /// No connection is free for it.
    package mutating func waitForConnection() { stage = .waiting }

    /// It has a connection.
    package mutating func leaveOnConnection() { stage = .underway }

    /// Nothing of an answer will be seen.
    package mutating func fallSilent() { stage = .silent }

    /// Its end is decided elsewhere: its connection failed.
    package mutating func end() { stage = .ended }

    /// Its answer is whole at the network's end.
    ///
    /// - Returns: whether to give it to the device, or to keep it until it is there, or to forget it because it
    ///   gets lost: then the connection breaks.
    package mutating func takeAnswer(at now: Instant) -> Action {
        let (moment, isLost) = arrival(ofAnswerAt: now)
        if isLost {
            stage = .silent
            return .keepSilent
        }
        guard moment > now else {
            stage = .ended
            return .deliver
        }
        stage = .returning(until: moment)
        return .hold(until: moment)
    }

    /// When an answer is with the device that leaves the collector at `moment`, and whether it gets lost: then the
    /// connection breaks at that time.
    package func arrival(ofAnswerAt moment: Instant) -> (at: Instant, isLost: Bool) {
        let elapsed = (moment - begunAt) / pace
        let after = elapsed + verdict.replyDelay
        guard let handover = verdict.handover, handover.after < after else {
            return (moment + verdict.replyDelay.stretched(by: pace), false)
        }
        guard handover.breaks else {
            return (moment + (verdict.replyDelay + handover.gap).stretched(by: pace), false)
        }
        return (moment + max(.zero, handover.after - elapsed).stretched(by: pace), true)
    }
}
