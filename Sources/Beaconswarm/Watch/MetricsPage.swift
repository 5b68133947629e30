import Reporting
import Timebase

/// What is scraped of work that goes on.
struct MetricsPage {
    private var budget = WatchBudget()
    private var latest: Watch.Edition?
    private var text: [UInt8] = []

    /// Lines of Prometheus's text format; drawn anew as often as the budget allows.
    mutating func text(of watch: Watch) -> [UInt8] {
        let now = Host.monotonic
        if budget.isDue(at: now) {
            let began = Host.threadTime
            let news = watch.edition(after: latest?.number)
            if news != nil || text.isEmpty {
                latest = news ?? latest
                text = latest?.content.report.map { LiveMetrics.exposition(of: $0) } ?? []
            }
            budget.note(cost: Host.threadTime - began, at: now)
        }
        return text + LiveMetrics.exposition(progress: watch.standing.share)
    }
}
