import Timebase
import Wire
import World

/// How the modelled server works, as decoded.
struct ServerDraft: Sendable {
    var workers = 1
    var serviceTime = Distribution.constant(1)
    var queue: Int?
    var degrade = 0.0
    var status: UInt16 = 503
    var retryAfter: Interval?
    var rateLimit: RateLimitDraft?

    static let format: ObjectDescription<ServerDraft> = ObjectDescription(
        "A server with workers and a queue in front of them.", start: ServerDraft.init,
        [
            Field(
                "workers", \.workers, .integer(1...100_000), "Requests that are served at the same time."),
            Field(
                "serviceTime", \.serviceTime, DistributionDraft.milliseconds, required: true,
                "What a request takes of a worker."),
            Field(
                "queue", \.queue, .integer(0...10_000_000),
                "Requests that may wait; by default any number. The next is answered with the status."),
            Field(
                "degrade", \.degrade, .number(0...1000),
                "How much longer a request is served that finds the queue full: 1 for twice as long, less in "
                    + "proportion."),
            Field("status", \.status, .status, "The answer where the queue is full."),
            Field("retryAfter", \.retryAfter, retryAfter, "Sent with that answer."),
            Field(
                "rateLimit", \.rateLimit, .object(RateLimitDraft.format),
                "A rate beyond which requests are turned away."),
        ])

    static let retryAfter = Form<Interval>.duration(.zero...(.hours(24 * 30)))
}

/// A limit of the rate, as decoded.
struct RateLimitDraft: Hashable, Sendable {
    var rate: Double?
    var burst = 1
    var status: UInt16 = 429
    var retryAfter: Interval?

    static let format: ObjectDescription<RateLimitDraft> = ObjectDescription(
        "A bucket of requests that fills at a rate.", start: RateLimitDraft.init,
        [
            Field(
                "rate", \.rate, Form<Double>.rate(of: "requests"), required: true,
                "Such as \"200 requests/s\"."),
            Field("burst", \.burst, .integer(1...1_000_000), "Requests that may come at once."),
            Field("status", \.status, .status, "The answer beyond the rate."),
            Field("retryAfter", \.retryAfter, ServerDraft.retryAfter, "Sent with that answer."),
        ])
}

extension ScenarioBinder {
    /// Binds the model of the server.
    mutating func bindServer() -> ServerWork? {
        guard let located = draft.server else { return nil }
        let server = located.value
        let isQueueKnown = reading.isSound([["queue"]], of: located.place)
        if server.degrade > 0, server.queue ?? 0 == 0, isQueueKnown {
            reading.report(
                .conflict, located.place, found: "\"degrade\" without a \"queue\"",
                allowed: "\"degrade\" beside a \"queue\" of 1 or more, which says what full is")
        }
        let answersFull = server.retryAfter != nil || located.place.node["status"] != nil
        if answersFull, server.queue == nil, isQueueKnown {
            reading.report(
                .conflict, located.place, found: "an answer for a full queue, and no \"queue\"",
                allowed: "\"status\" and \"retryAfter\" beside \"queue\"")
        }
        var work = ServerWork()
        work.workers = server.workers
        work.serviceTime = server.serviceTime
        work.queue = server.queue
        work.degrade = server.degrade
        work.full = .init(status: server.status, retryAfter: server.retryAfter)
        if let limit = server.rateLimit {
            work.limit = ServerWork.RateLimit()
            work.limit?.rate = limit.rate ?? 1
            work.limit?.burst = limit.burst
            work.limit?.refusal = .init(status: limit.status, retryAfter: limit.retryAfter)
        }
        return work
    }
}
