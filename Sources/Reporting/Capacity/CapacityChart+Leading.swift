import Rendering

extension CapacityChart {
    /// A picture of what was judged first, where none of those that every page has shows it.
    static func leading(_ report: CapacityReport) -> [CapacityChart] {
        let leading = CapacityColumn.leading(report)
        guard !shown.contains(leading.name) else { return [] }
        let title =
            if CapacityColumn.broken(report) != nil {
                "What broke first: \(leading.name)"
            } else if leading.name == CapacityColumn.stores.name {
                "Growth of stores"
            } else {
                "What was judged first: \(leading.name)"
            }
        return [
            CapacityChart(
                id: "leading", title: title, unit: leading.isTime ? .time : .count, report: report,
                series: [.init(name: leading.name, tone: "b", value: leading.value)])
        ]
    }

    /// The columns that other pictures show.
    private static let shown: Set = [
        "failed", "lost", "request med", "request p(50)", "request p(95)", "request p(99)", "fresh med",
        "fresh p(50)", "fresh p(95)",
    ]
}
