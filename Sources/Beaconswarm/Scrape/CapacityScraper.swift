import NIOCore
import NIOPosix
import Reporting
import Timebase

/// The target's own metrics beside a search's steps.
struct CapacityScraper {
    private let loops: MultiThreadedEventLoopGroup
    private let scraper: NIOLoopBound<TargetScraper>
    private let began = Host.monotonic
    private var marks: [Report.Mark] = []

    /// Begins to ask the target, if somebody wants it asked.
    ///
    /// - Parameter limit: How long the search may take.
    static func start(
        _ options: RunOptions, limit: Interval, console: RunConsole
    ) async throws -> CapacityScraper? {
        guard let endpoint = try options.scrapeEndpoint() else { return nil }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let scraper = try await TargetScraper.start(
                endpoint, wanted: options.scrapedNames, seconds: limit.fractionalSeconds, pace: 1,
                on: loops.next()
            ) { console.warn($0) }
            return CapacityScraper(loops: loops, scraper: scraper)
        } catch {
            try? await loops.shutdownGracefully()
            throw error
        }
    }

    private init(loops: MultiThreadedEventLoopGroup, scraper: NIOLoopBound<TargetScraper>) {
        (self.loops, self.scraper) = (loops, scraper)
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
