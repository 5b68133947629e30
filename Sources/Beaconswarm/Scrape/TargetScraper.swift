import LiveEngine
import NIOCore
import NIOHTTP1
import NIOSSL
import Reporting
import Synchronization
import Timebase

/// What a target has told so far, for whoever shows it while the run goes on.
final class ScrapeBoard: Sendable {
    private let told = Mutex<Report.TargetMetrics?>(nil)

    /// `nil` before the first question has ended.
    var metrics: Report.TargetMetrics? { told.withLock { $0 } }

    fileprivate func put(_ metrics: Report.TargetMetrics) { told.withLock { $0 = metrics } }
}

/// Asks a target for its own metrics while it is loaded. What does not come is counted and said, and never harms the run.
/// Lives on one event loop.
final class TargetScraper {
    private let endpoint: ScrapeEndpoint
    private let tls: NIOSSLContext?
    private let loop: any EventLoop
    /// Seconds between two questions.
    private let period: Double
    /// Moments are told by the run's clock, and count from its start.
    private let clock: RunClock
    private let start: Instant
    private let warn: @Sendable (String) -> Void
    private let board: ScrapeBoard?
    private var recorder: TargetRecorder
    private var current: EventLoopFuture<Void>?
    private var ticks: RepeatedTask?
    private var said: Set<Remark> = []
    /// When the last question was asked.
    private var askedAt = Interval.zero

    /// What is said of answers, each but once.
    private enum Remark { case problem, unnumbered, unreadable }

    private init(
        _ endpoint: ScrapeEndpoint, wanted: [String], on loop: any EventLoop, period: Double, clock: RunClock,
        start: Instant, board: ScrapeBoard?, warn: @escaping @Sendable (String) -> Void
    ) throws(CommandFailure) {
        self.endpoint = endpoint
        tls = try endpoint.tls()
        self.loop = loop
        self.period = period
        self.clock = clock
        self.start = start
        self.warn = warn
        self.board = board
        recorder = TargetRecorder(wanted: wanted)
    }

    /// Begins to ask when the run starts, or at once if it has, and then again and again. A question before the start
    /// would have no place among the run's moments; the first one is what counters grow from.
    ///
    /// - Parameters:
    ///   - seconds: How long the run will take, by the clock on the wall: long runs are asked less often.
    ///   - clock: The run's.
    ///   - start: Second 0, by that clock.
    ///   - board: Gets what is known after each question.
    /// - Throws: ``CommandFailure`` with code 64 if the system has no certificates.
    static func start(
        _ endpoint: ScrapeEndpoint, wanted: [String], seconds: Double, clock: RunClock, from start: Instant,
        on loop: any EventLoop, board: ScrapeBoard? = nil, warn: @escaping @Sendable (String) -> Void
    ) async throws -> NIOLoopBound<TargetScraper> {
        let period = min(15, max(1, (seconds / 120).rounded()))
        return try await loop.submit {
            let scraper = try TargetScraper(
                endpoint, wanted: wanted, on: loop, period: period, clock: clock, start: start,
                board: board, warn: warn)
            let bound = NIOLoopBound(scraper, eventLoop: loop)
            let delay = TimeAmount.nanoseconds(Int64(period * 1e9))
            let lead: TimeAmount = max(.zero, clock.deadline(of: start) - NIODeadline.now())
            scraper.ticks = loop.scheduleRepeatedTask(initialDelay: lead, delay: delay) { _ in
                _ = bound.value.ask()
            }
            return bound
        }.get()
    }

    /// Seconds since the run's start; negative before it.
    private var elapsed: Double { (clock.now() - start).fractionalSeconds }

    /// Asks, unless the question before has no answer yet.
    private func ask() -> EventLoopFuture<Void> {
        if let current { return current }
        askedAt = Host.monotonic
        let second = elapsed
        let bound = NIOLoopBound(self, eventLoop: loop)
        let request = HTTPExchange.Request(
            method: .GET, headers: ["Accept": "text/plain;version=0.0.4;q=1,*/*;q=0.1"])
        let question = HTTPExchange.send(request, to: endpoint.http, tls: tls, on: loop)
            .map { bound.value.take($0, at: second) }
            .problem()
            .map { problem in if let problem { bound.value.note(problem) } }
        current = question
        question.whenComplete { _ in bound.value.current = nil }
        return question
    }

    private func take(_ body: [UInt8], at second: Double) {
        let answer = recorder.note(ExpositionReader(body), at: second)
        guard answer.samples > 0 else {
            let lines = answer.brokenLines
            return note(
                lines == 0
                    ? "the answer has no metrics"
                    : "the answer is none of Prometheus' (\(lines.of("line")) cannot be read)"
            )
        }
        // The answer is none the worse for what is left out of it.
        if answer.unnumbered > 0 {
            let values = answer.unnumbered.of("value")
            say(.unnumbered, "left out of the answer: \(values) without a finite number (NaN, Inf)")
        }
        if answer.unreadable > 0 {
            say(.unreadable, "left out of the answer: \(answer.unreadable.of("line")) that cannot be read")
        }
        note(nil)
    }

    private func note(_ problem: String?) {
        recorder.count(problem: problem)
        board?.put(known)
        if let problem { say(.problem, problem) }
    }

    /// Says something of an answer, if it is the first of its kind.
    private func say(_ remark: Remark, _ text: String) {
        guard said.insert(remark).inserted else { return }
        warn("--scrape \(endpoint.text): \(text); the run goes on, and so do the questions")
    }

    /// Asks a last time, unless a question is under way, was asked just now, or the run is over before its start, and
    /// tells what is known. What counters grow by in a moment is no rate.
    func finish() -> EventLoopFuture<Report.TargetMetrics> {
        ticks?.cancel()
        let bound = NIOLoopBound(self, eventLoop: loop)
        let isRecent = (Host.monotonic - askedAt).fractionalSeconds < period / 2
        let last = current ?? (isRecent || elapsed < 0 ? loop.makeSucceededVoidFuture() : ask())
        return last.map { bound.value.known }
    }

    /// What is known now.
    private var known: Report.TargetMetrics {
        recorder.finished(url: endpoint.text, period: period * Double(clock.pace))
    }
}
