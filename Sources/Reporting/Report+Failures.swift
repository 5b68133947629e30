package import Timebase

extension Report {
    /// An answer to an upload that was no success, short enough for a summary.
    package struct FailedAnswer: Hashable, Sendable {
        /// On the run's clock.
        package var at: Instant
        package var population: String
        /// 0 where there was no status line.
        package var status: UInt16
        /// What was wrong, where the answer was not whole.
        package var failure: String?
        /// ``bodyLimit`` characters at most.
        package var body: String

        /// Characters of the body that a summary shows.
        package static let bodyLimit = 200

        /// The answer in a line; the body as it came.
        var text: String {
            let words = [status == 0 ? "" : String(status), failure ?? ""].filter { !$0.isEmpty }
            let what = words.joined(separator: ", ")
            let content = body.isEmpty ? "without a body" : "with the body: \(body)"
            return "\(what), to \(population) at \(at.text), \(content)"
        }
    }

    /// The first answer that its system did not take as success; `nil` where there was none, and where no
    /// byte of an answer ever came.
    package var firstFailedAnswer: FailedAnswer? {
        guard let first = unexpectedAnswers.first(where: { !$0.isConfig }) else { return nil }
        return FailedAnswer(
            at: first.at, population: first.population, status: first.status, failure: first.failure,
            body: String(first.body.prefix(FailedAnswer.bodyLimit)))
    }
}

extension Report {
    /// What a scenario may be for instead of delivery, by its `expect`.
    package enum Expectation: String, CaseIterable, Sendable {
        /// No upload gets through.
        case nothingDelivered = "nothing delivered"
        /// The guard ends the run, because the target refuses everything.
        case `guard`
    }

    /// Why Beaconswarm ended a live run at once, without a drain.
    package struct EarlyEnd: Hashable, Sendable {
        /// The heaviest first, as ``VerdictRules`` weigh them.
        package enum Cause: String, CaseIterable, Sendable {
            /// More requests were sent within a second than `--max-rate` allows.
            case maxRate = "max_rate"
            /// A target answered nothing but 403, 429 or 5xx for too long.
            case `guard`
        }

        package var cause: Cause
        /// What happened, in a sentence.
        package var text: String

        package init(cause: Cause, text: String) {
            self.cause = cause
            self.text = text
        }
    }
}

extension Report {
    /// The most interrupted parts that are named.
    private static let namedParts = 10

    /// What is said of an interrupt, with the parts that it ended where others went on; `nil` where there was none.
    var interruption: String? {
        guard isInterrupted else { return nil }
        let parts = run.parts ?? []
        let ended = parts.filter(\.isInterrupted)
        guard !ended.isEmpty, ended.count < parts.count else {
            return "The run was interrupted; the figures cover what ran until then."
        }
        let names = ended.prefix(Report.namedParts).map { "\($0.name) on \($0.host)" }.joined(separator: ", ")
        let more = ended.count > Report.namedParts ? " and \(ended.count - Report.namedParts) more" : ""
        let (subject, whose) =
            ended.count == 1 ? ("Part \(names) was", "its") : ("Parts \(names)\(more) were", "their")
        return "\(subject) interrupted; of \(whose) devices, the figures cover what ran until then."
    }
}

extension Report.EarlyEnd {
    /// Puts what weighs most in a verdict first; what weighs the same stays in its order.
    package static func heaviestFirst(_ ends: [Report.EarlyEnd]) -> [Report.EarlyEnd] {
        Cause.allCases.flatMap { cause in ends.filter { $0.cause == cause } }
    }
}

extension Report {
    /// What ended the run at once, or parts of it: each part has its own end, and its own reason. The heaviest first.
    var earlyEnds: [EarlyEnd] {
        let ofParts = (run.parts ?? []).compactMap(\.endedBy)
        return EarlyEnd.heaviestFirst(ofParts.isEmpty ? [endedBy].compactMap(\.self) : ofParts)
    }
}

extension Report {
    /// Why no other run of a series may follow this one: whoever was spared is not to be met again a second later. A
    /// scenario that expects the guard is there to be ended by it, each time.
    package var endOfSeries: EarlyEnd? {
        endedBy?.cause == .guard && scenario.expectation == .guard ? nil : endedBy
    }
}

extension Report {
    /// Something that the machine refused to Beaconswarm, and that has nothing to do with the collector under
    /// test.
    package struct OwnFailure: Hashable, Sendable {
        /// For scripts: `no_socket`, `embedded_store`, `device_store`.
        package var name: String
        /// Uploads that came to nothing by it; operations, of device stores.
        package var count: UInt64
        /// What it was and what helps, as a clause.
        package var text: String
        package init(name: String, count: UInt64, text: String) {
            self.name = name
            self.count = count
            self.text = text
        }
    }
}
