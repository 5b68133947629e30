package import Measurement

extension Report {
    /// What an entry of the timeline did to the events captured while it lasted, and to the time after it.
    package struct Entry: Sendable {
        /// The entry's own, else its index in the timeline as written.
        package var name: String
        /// Index of its mark.
        package var mark: Int
        /// ``MetricCatalogue/ofEntries``.
        package var metrics: [Metric]
        package init(name: String, mark: Int, metrics: [Metric]) {
            self.name = name
            self.mark = mark
            self.metrics = metrics
        }
    }

    /// A fault or change of the timeline.
    package struct Mark: Hashable, Sendable {
        /// Seconds since the run's start.
        package var from: Double
        /// `nil` for one that lasts to the end of the run.
        package var until: Double?
        package var text: String
        /// What the tag `{entry:NAME}` says.
        package var name = ""
        package init(from: Double, until: Double?, text: String) {
            self.from = from
            self.until = until
            self.text = text
        }
    }
}
