import LiveEngine
import NIOCore
import NIOPosix
import Reporting
import Scenario
import Timebase

/// The target's own metrics beside the run's (`--scrape`).
extension LiveRunner {
    /// Begins to ask the target, if somebody wants it asked.
    func startScraper(_ stage: Stage) async throws -> NIOLoopBound<TargetScraper>? {
        guard let endpoint = try options.scrapeEndpoint() else { return nil }
        let planned = stage.clock.realTime(scenario.document.duration).fractionalSeconds
        return try await TargetScraper.start(
            endpoint, wanted: options.scrapedNames, seconds: planned, pace: scenario.document.pace,
            on: stage.collectors.next()
        ) { [console] in console.warn($0) }
    }

    /// What the target told.
    func finish(_ scraper: NIOLoopBound<TargetScraper>?, _ stage: Stage) async -> Report.TargetMetrics? {
        guard let scraper else { return nil }
        return try? await stage.collectors.next().flatSubmit { scraper.value.finish() }.get()
    }
}

extension ReportBuilder.Progress {
    /// Takes what the target told of itself.
    mutating func take(_ metrics: Report.TargetMetrics) {
        targetMetrics = metrics
        if let warning = metrics.warning { warnings.append(warning) }
    }
}

extension Report.TargetMetrics {
    /// That the target told nothing, or not always; `nil` if it did.
    var warning: String? {
        guard failures > 0 else { return nil }
        return "--scrape \(url): \(failures) of \(scrapes) questions had no answer that could be read"
            + (problem.map { "; the last reason: \($0)" } ?? "")
    }
}
