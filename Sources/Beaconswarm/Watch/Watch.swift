import Reporting
import Synchronization
import Timebase

/// What can be watched of work that goes on. Whoever does the work tells it, and waits for nobody; whoever shows it asks.
final class Watch: Sendable {
    /// How far the work is.
    struct Standing: Hashable, Sendable {
        var line = "waiting for the first figures"
        /// 0…1; `nil` where nobody can say.
        var share: Double?
        /// What was said on the way; the oldest lines are forgotten.
        var said: [String] = []
        /// Where its report will be, once there is a folder for it.
        var folder: String?
        /// What it came to, once it is over.
        var ending: String?
        /// The same in a word.
        var outcome: String?
        /// Whether all of it was done, once it is over.
        var isWhole = false

        /// What is in its folder once it is over: what was broken off has no report, or one of what there was by then.
        var place: String? {
            folder.map { isWhole ? "the report is in \($0)" : "what there is so far is in \($0)" }
        }

        /// Where the report is, for the foot of the page of work that is over.
        var farewell: String { place.map { "Drawn as it happened; \($0)." } ?? "Drawn as it happened." }
    }

    /// What is known of the work.
    enum Content: Sendable {
        case run(Report)
        case search(CapacityReport)
        case lab(LabReport)
        case sweep(SweepReport)

        /// The report of a run, which has figures for monitoring.
        var report: Report? {
            if case .run(let report) = self { report } else { nil }
        }

        var parts: [LivePage.Part] {
            switch self {
            case .run(let report): LivePage.parts(of: report)
            case .search(let report): LivePage.parts(of: report)
            case .lab(let report): LivePage.parts(of: report)
            case .sweep(let report): LivePage.parts(of: report)
            }
        }
    }

    /// Makes what is known; the stamp tells whether it is new.
    typealias Source = @Sendable () -> (stamp: UInt64, content: @Sendable () -> Content)

    /// What is known, and which it is of all that was known.
    struct Edition {
        var number: UInt64
        var content: Content
    }

    private struct State {
        var standing = Standing()
        var source: Source?
        /// Counts sources, so that states of two runs are told apart.
        var generation: UInt64 = 0
        var interruption: Interruption?
        var asked = 0
    }

    /// The most lines that are remembered.
    private static let lineLimit = 100

    /// What goes on: the scenario's name.
    let title: String
    private let state = Mutex(State())

    init(title: String) { self.title = title }

    var standing: Standing { state.withLock { $0.standing } }

    /// How much of an end was asked for: 1 for a graceful one, 2 for one at once.
    var asked: Int { state.withLock { $0.asked } }

    // MARK: - For those who work

    /// What was said on the way; without a terminal's colours.
    func say(_ line: String) {
        let plain = line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
        state.withLock { state in
            state.standing.said.append(plain)
            if state.standing.said.count > Watch.lineLimit { state.standing.said.removeFirst() }
        }
    }

    /// How far the work is, in words and as a share of the whole, 0…1; `nil` leaves the share as it was.
    func show(_ line: String, share: Double?) {
        state.withLock { state in
            state.standing.line = line
            if let share { state.standing.share = min(1, max(0, share)) }
        }
    }

    /// The report will be in this folder; of several that belong together, in the first, which has the others in it.
    func keep(in folder: String) {
        state.withLock { $0.standing.folder = $0.standing.folder ?? folder }
    }

    /// From now on what is known of a run is asked for here.
    func follow(_ source: @escaping Source) {
        state.withLock { state in
            state.source = source
            state.generation += 1
        }
    }

    /// This is what is known until something else is said: the report of a run that is over, the steps of a search.
    func take(_ content: Content) { follow { (0, { content }) } }

    /// The work can be ended.
    func control(_ interruption: Interruption) { state.withLock { $0.interruption = interruption } }

    /// The work is over.
    func end(_ status: CommandStatus) {
        state.withLock { state in
            let code = status == .success ? "" : " with exit code \(status.rawValue)"
            // A command that failed may have left nothing.
            state.standing.folder = state.standing.folder.flatMap { OutputFile.exists($0) ? $0 : nil }
            state.standing.isWhole = status.isOfWholeWork
            let place = state.standing.place.map { "\($0), and " } ?? ""
            state.standing.ending = "The program has ended\(code); \(place)this page stays as it is."
            state.standing.line = "over"
            state.standing.outcome =
                status == .success ? "done" : VerdictRules.verdict(of: status.rawValue).rawValue
            if status.isOfWholeWork { state.standing.share = 1 }
            state.interruption = nil
        }
    }

    // MARK: - For those who watch

    /// What is known of the run; `nil` if that is no more than before, or if there is no run.
    ///
    /// - Parameter seen: The number of an edition.
    func edition(after seen: UInt64?) -> Edition? {
        let (source, generation) = state.withLock { ($0.source, $0.generation) }
        guard let source else { return nil }
        let news = source()
        // A run has not as many states as would fill half of the number.
        let number = generation << 32 | (news.stamp & 0xFFFF_FFFF)
        return number == seen ? nil : Edition(number: number, content: news.content())
    }

    /// Whether there is something to be ended.
    var canEnd: Bool { state.withLock { $0.interruption != nil } }

    /// Asks for the end, as Ctrl-C does; if there is nothing to be ended any more, nothing happens.
    func askForEnd(atOnce: Bool) {
        let interruption = state.withLock { state in
            if state.interruption != nil { state.asked = max(state.asked, atOnce ? 2 : 1) }
            return state.interruption
        }
        interruption?.request(atOnce: atOnce)
    }
}

extension CommandStatus {
    /// Whether all that was to be done was done, whatever came of it.
    fileprivate var isOfWholeWork: Bool {
        switch self {
        case .success, .unaccounted, .invalidRun, .thresholdFailed: true
        case .usage, .unreachable, .internalError, .invalidScenario, .interrupted: false
        }
    }
}
