import LiveEngine
import NIOCore
import NIOPosix
import Reporting
import Scenario
import Timebase

/// The target's own metrics beside the run's (`--scrape`).
extension LiveRunner {
    /// Questions to a target, and what is known of its answers.
    struct Scraping {
        let scraper: NIOLoopBound<TargetScraper>
        let board: ScrapeBoard
    }

    /// Begins to ask the target, if somebody wants it asked.
    func startScraper(_ stage: Stage) async throws -> Scraping? {
        guard let endpoint = try options.scrapeEndpoint() else { return nil }
        let planned = stage.clock.realTime(scenario.document.duration).fractionalSeconds
        let board = ScrapeBoard()
        let scraper = try await TargetScraper.start(
            endpoint, wanted: options.scrapedNames, seconds: planned, clock: stage.clock,
            from: stage.start, on: stage.collectors.next(), board: board
        ) { [console] in console.warn($0) }
        return Scraping(scraper: scraper, board: board)
    }

    /// What the target told.
    func finish(_ scraping: Scraping?, _ stage: Stage) async -> Report.TargetMetrics? {
        guard let scraper = scraping?.scraper else { return nil }
        return try? await stage.collectors.next().flatSubmit { scraper.value.finish() }.get()
    }
}

extension ReportBuilder.Progress {
    /// Takes what the target told of itself.
    mutating func take(_ metrics: Report.TargetMetrics) {
        targetMetrics = [metrics]
        if let warning = metrics.warning { warnings.append(warning) }
    }
}

extension Report.TargetMetrics {
    /// That the target told nothing, or not always, or no numbers, or what cannot be read, or not what was asked for;
    /// `nil` if nothing of that is so.
    var warning: String? {
        var sentences: [String] = []
        if failures > 0 {
            sentences.append(
                "\(failures) of \(scrapes) questions had no answer that could be read"
                    + (problem.map { "; the last reason: \($0)" } ?? ""))
        }
        if unnumbered > 0 {
            sentences.append("values without a finite number (NaN, Inf) were left out: \(unnumbered)")
        }
        if unreadable > 0 {
            sentences.append("lines that cannot be read were left out: \(unreadable)")
        }
        if !unmatched.isEmpty {
            sentences.append(
                "no metric has a name that --scrape-only asks for: \(unmatched.joined(separator: ", "))")
        }
        return sentences.isEmpty ? nil : "--scrape \(url): " + sentences.joined(separator: "; ")
    }
}
