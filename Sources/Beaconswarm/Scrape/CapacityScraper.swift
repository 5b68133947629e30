import LiveEngine
import NIOCore
import NIOPosix
import Reporting
import Timebase

/// The target's own metrics beside a search's steps.
struct CapacityScraper {
    private let loops: MultiThreadedEventLoopGroup
    private let scraper: NIOLoopBound<TargetScraper>
    private let began: Interval
    private var marks: [Report.Mark] = []

    /// Begins to ask the target, if somebody wants it asked.
    ///
    /// - Parameters:
    ///   - began: When the search began, by the machine's clock: its second 0.
    ///   - limit: How long it may take.
    static func start(
        _ options: RunOptions, began: Interval, limit: Interval, console: RunConsole
    ) async throws -> CapacityScraper? {
        guard let endpoint = try options.scrapeEndpoint() else { return nil }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let start = Instant(nanoseconds: 0)
        let clock = RunClock(showing: start, atUptime: UInt64(began.nanoseconds), pace: 1)
        do {
            let scraper = try await TargetScraper.start(
                endpoint, wanted: options.scrapedNames, seconds: limit.fractionalSeconds,
                clock: clock, from: start, on: loops.next()
            ) { console.warn($0) }
            return CapacityScraper(loops: loops, scraper: scraper, began: began)
        } catch {
            try? await loops.shutdownGracefully()
            throw error
        }
    }

    private init(
        loops: MultiThreadedEventLoopGroup, scraper: NIOLoopBound<TargetScraper>, began: Interval
    ) {
        (self.loops, self.scraper, self.began) = (loops, scraper, began)
    }

    /// A step is over.
    ///
    /// - Parameter begun: When it began, by the machine's clock.
    mutating func note(_ text: String, since begun: Interval) {
        marks.append(
            Report.Mark(
                from: (begun - began).fractionalSeconds, until: (Host.monotonic - began).fractionalSeconds,
                text: text))
    }

    /// What the target told; nothing is asked from now on.
    func finish() async -> Report.TargetMetrics? {
        let scraper = scraper
        var metrics = try? await loops.next().flatSubmit { scraper.value.finish() }.get()
        try? await loops.shutdownGracefully()
        metrics?.marks = marks
        return metrics
    }
}
