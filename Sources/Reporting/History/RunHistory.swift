package import Timebase

/// The runs of a folder, in the order in which they began.
package struct RunHistory: Sendable {
    /// A run, or several that belong together.
    package struct Entry: Sendable {
        /// What a folder may hold, as lists call it.
        package enum Kind: String, Sendable { case live, virtual, variants, capacity }

        /// The folder, as the user would name it.
        package var path: String
        package var kind: Kind
        package var scenario: Report.ScenarioReference
        /// When it began; of several runs, when their report was written.
        package var at: Instant
        package var verdict: Report.Verdict
        package var exitCode: Int32
        /// Whether it broke off, or still goes on.
        package var isPartial: Bool
        package var toolVersion: String
        /// The commit that was tested; where nobody said, that of the tool; `nil` where neither is known.
        package var commit: String?
        /// What it came to; `nil` for what is no single run.
        package var cell: LabReport.Cell?
        /// The run as one side of a comparison; `nil` for what cannot be compared.
        package var side: Comparison.Side?
        /// Its page, to be linked to from the page of the history; `nil` where it has none.
        package var link: String?

        package init(
            path: String, kind: Kind, scenario: Report.ScenarioReference, at: Instant,
            verdict: Report.Verdict, exitCode: Int32, isPartial: Bool, toolVersion: String
        ) {
            self.path = path
            self.kind = kind
            self.scenario = scenario
            self.at = at
            self.verdict = verdict
            self.exitCode = exitCode
            self.isPartial = isPartial
            self.toolVersion = toolVersion
        }
    }

    /// Runs of one scenario in one world.
    struct Group {
        var name: String
        var kind: Entry.Kind
        /// The oldest first.
        var entries: [Entry]
    }

    /// The folder that was looked through.
    package var folder: String
    /// The oldest first.
    package let entries: [Entry]
    /// What is told of each run.
    package let figures: [Figure]

    /// What is told of each run where nobody asks for something else.
    package static let defaultFigures = [
        "events_lost", "event_freshness.p(95)", "http_req_duration.p(99)", "http_req_failed",
    ]

    /// Puts runs into their order.
    package init(folder: String, entries: [Entry], figures: [Figure]) {
        self.folder = folder
        self.entries = entries.sorted { ($0.at, $0.path) < ($1.at, $1.path) }
        self.figures = figures
    }

    /// Single runs by their scenarios' names and their worlds, those with the latest run first.
    var groups: [Group] {
        var groups: [Group] = []
        for entry in entries.reversed() where entry.cell != nil {
            let index = groups.firstIndex { $0.name == entry.scenario.name && $0.kind == entry.kind }
            if let index {
                groups[index].entries.insert(entry, at: 0)
            } else {
                groups.append(Group(name: entry.scenario.name, kind: entry.kind, entries: [entry]))
            }
        }
        return groups
    }

    /// Searches, and runs of several simulations, the oldest first.
    var others: [Entry] { entries.filter { $0.cell == nil } }
}

extension RunHistory.Entry {
    /// `2026-03-02 19:30` (UTC).
    var when: String { String(whenToTheSecond.dropLast(3)) }

    /// The same with the seconds, for runs that began in one minute.
    var whenToTheSecond: String {
        let time = CivilTime(at)
        return "\(time.dateText) \(time.timeText.prefix(8))"
    }

    /// The verdict, as lists tell it.
    var word: String {
        isPartial ? "unfinished" : exitCode == 0 ? verdict.rawValue : "\(verdict.rawValue) (\(exitCode))"
    }

    /// As many digits of the commit as people need; `–` for none.
    var shortCommit: String {
        guard let commit else { return "–" }
        let isHash = commit.prefix(40).count == 40 && commit.prefix(40).allSatisfy(\.isHexDigit)
        return isHash ? String(commit.prefix(9) + commit.dropFirst(40).prefix(9)) : String(commit.prefix(18))
    }

    /// A figure of the run, as lists tell it.
    func text(_ figure: Figure) -> String { ComparisonText.value(value(figure), figure) }

    /// A figure of the run; `nil` where it has none.
    func value(_ figure: Figure) -> Double? { cell.flatMap { figure.value(in: $0) } }

    /// Whether another run played something else: another scenario, or the same with other options. Another seed alone is
    /// none, as for `compare`.
    func differs(from other: Self) -> Bool {
        func options(_ entry: Self) -> [String] {
            entry.scenario.overrides.filter { !$0.hasPrefix("--seed ") }
        }
        return scenario.sha256 != other.scenario.sha256 || options(self) != options(other)
    }
}
