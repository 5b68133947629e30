package import Timebase

/// What can go wrong with a request on the client's side of the network: before it reaches any
/// collector, or on the way back. A closed set: the compiler names every place that has to act.
package enum ClientFault: Hashable, Sendable {
    /// The request leaves late; milliseconds. The SDK's limit runs from when it meant to send.
    case delay(Distribution)
    /// The request never leaves; the SDK waits until its limit.
    case drop
    /// The connection is reset before the request is whole, so that no collector reads it.
    case reset(ResetPoint)
    /// The request is delivered whole and answered, and the answer gets lost.
    case lostReply(LostReply)

    /// How far a request got before its connection was reset.
    package enum ResetPoint: String, CaseIterable, Hashable, Sendable {
        /// The connection was open; no byte of the request was sent.
        case connect
        /// About half of the request's bytes were sent.
        case half
    }

    /// What the device sees in the place of the answer.
    package enum LostReply: String, CaseIterable, Hashable, Sendable {
        /// The connection is reset when the answer should come.
        case reset
        /// Nothing comes until the SDK's limit.
        case timeout
    }
}

/// Whom a fault of the client's side concerns.
package struct ClientFaultScope: Hashable, Sendable {
    /// Share of the requests of the devices concerned, 0…1.
    package var share = 1.0
    /// Share of the devices, 0…1: the same devices for as long as the entry lasts.
    package var deviceShare = 1.0
    /// Index of the population concerned, or `nil` for all.
    package var population: Int?
    /// Only this device, by its number in the run, and only its upload number n, from 0, where set.
    package var device: UInt32?
    package var uploadNumber: UInt32?

    package init() {}
}

/// One fault of the client's side for a while.
package struct ClientFaultWindow: Hashable, Sendable {
    package var from: Instant
    /// Exclusive.
    package var until: Instant
    package var fault: ClientFault
    package var scope: ClientFaultScope

    package init(from: Instant, until: Instant, fault: ClientFault, scope: ClientFaultScope = .init()) {
        self.from = from
        self.until = until
        self.fault = fault
        self.scope = scope
    }
}

/// Everything that the timeline asks of the client's side, in order of `from`.
package struct ClientFaultPlan: Hashable, Sendable {
    package var windows: [ClientFaultWindow] = []

    package init() {}

    /// Whether there is nothing to ask.
    package var isIdle: Bool { windows.isEmpty }
}

/// What becomes of one request.
package struct ClientFaultVerdict: Hashable, Sendable {
    /// What happens to the request beyond coming late.
    package enum Fate: Hashable, Sendable {
        case goes
        case drop
        case reset(ClientFault.ResetPoint)
        case lostReply(ClientFault.LostReply)
        /// Nobody accepts its connection, whatever the collector does.
        case refused
    }

    /// From the moment at which the SDK meant to send. Like all times here, of real time.
    package var delay = Interval.zero
    package var fate = Fate.goes
    /// How long a whole answer is on its way.
    package var replyDelay = Interval.zero
    /// A change of the radio while the collector is at work or the answer on its way.
    package var handover: ReplyHandover?

    /// Nothing happens.
    package static let none = ClientFaultVerdict()

    package init() {}

    package init(delay: Interval = .zero, fate: Fate) {
        self.delay = delay
        self.fate = fate
    }
}

extension ClientFaultVerdict {
    /// This verdict on a request, followed by what the link makes of it. What the plan lets it come to is not
    /// overruled.
    package func followed(by link: ClientFaultVerdict) -> ClientFaultVerdict {
        var both = link
        both.delay = delay + link.delay
        if fate != .goes { both.fate = fate }
        guard both.fate == .goes, var handover = link.handover else {
            both.handover = nil
            return both
        }
        handover.after = handover.after + delay
        both.handover = handover
        return both
    }
}

/// A request as the faults of the client's side see it.
package struct ClientRequest: Hashable, Sendable {
    /// Index of the device's population.
    package var population: Int
    /// The device's number in the run.
    package var device: UInt32
    /// The device's own stream for these draws.
    package var stream: RandomStream
    /// Tells the device's requests apart, whatever their kind.
    package var ordinal: UInt64
    /// Which of the device's uploads it is, from 0; `nil` for other requests.
    package var upload: UInt32?

    package init(population: Int, device: UInt32, stream: RandomStream, ordinal: UInt64, upload: UInt32?) {
        self.population = population
        self.device = device
        self.stream = stream
        self.ordinal = ordinal
        self.upload = upload
    }
}

/// Decides what becomes of requests on the client's side.
///
/// It has no state: the verdict is a function of the plan, the device's stream (seed, population and
/// index in it), the request's ordinal on its device, the window's index in the plan, and the time. So
/// every world comes to the same verdicts, whatever the order in which devices send.
package struct ClientFaultDirector: Hashable, Sendable {
    private let plan: ClientFaultPlan

    package init(plan: ClientFaultPlan) { self.plan = plan }

    /// Whether there is nothing to ask.
    package var isIdle: Bool { plan.isIdle }

    /// The verdict on a request that the device means to send now.
    ///
    /// Of several windows, the first in the plan that does more than delay wins; delays add up.
    ///
    /// - Complexity: O(windows).
    package func verdict(on request: ClientRequest, at now: Instant) -> ClientFaultVerdict {
        var verdict = ClientFaultVerdict.none
        for (index, window) in plan.windows.enumerated() where window.from <= now && now < window.until {
            var draw = request.stream.child(UInt64(index))
            // The first draw is the device's; all others belong to the request.
            guard window.scope.names(request), draw.chance(window.scope.deviceShare) else { continue }
            draw = draw.child(request.ordinal)
            guard draw.chance(window.scope.share) else { continue }
            switch window.fault {
            case .delay(let distribution):
                let milliseconds = min(max(distribution.sample(&draw), 0), 86_400_000)
                verdict.delay = verdict.delay + Interval.fractional(seconds: milliseconds / 1000)
            case .drop where verdict.fate == .goes: verdict.fate = .drop
            case .reset(let point) where verdict.fate == .goes: verdict.fate = .reset(point)
            case .lostReply(let reply) where verdict.fate == .goes: verdict.fate = .lostReply(reply)
            case .drop, .reset, .lostReply: continue
            }
        }
        return verdict
    }
}

extension ClientFaultScope {
    /// Whether the scope leaves the request in, shares aside.
    fileprivate func names(_ request: ClientRequest) -> Bool {
        if let population, population != request.population { return false }
        if let device, device != request.device { return false }
        return uploadNumber == nil || uploadNumber == request.upload
    }
}
