import Reporting

/// What is scraped of work that goes on.
struct MetricsPage {
    private var latest: Watch.Edition?
    private var text: [UInt8] = []

    /// Lines of Prometheus's text format, of the latest state: drawn when they are asked for, once for each state, of which
    /// there is one in a second.
    mutating func text(of watch: Watch) -> [UInt8] {
        if let news = watch.edition(after: latest?.number) {
            latest = news
            text = news.content.report.map { LiveMetrics.exposition(of: $0) } ?? []
        }
        return text + LiveMetrics.exposition(progress: watch.standing.share)
    }
}
