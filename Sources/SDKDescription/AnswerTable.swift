/// What an SDK makes of each end of an upload: rules in order, of which the first that matches holds.
///
/// Every status and every failure has a verdict: ``missing`` tells what a table leaves open.
package struct AnswerTable: Hashable, Sendable {
    /// What becomes of the rows of a request.
    package enum Verdict: String, CaseIterable, Sendable {
        /// They leave the store: the collector has them.
        case delivered
        /// The same, and all else in the store leaves with them, unsent.
        case deliveredClear
        /// They leave the store: the collector refused them.
        case drop
        /// They stay, and nothing is remembered of it.
        case keep
        /// They stay, and it counts as a failure.
        case retry
        /// As `retry`; from now on requests carry half as many events as this one. One that is refused alone is dropped.
        case halve
        /// The batch is sent again in two halves. One event that is refused alone is dropped.
        case split

        /// Whether the collector has taken the events.
        package var isPositive: Bool { self == .delivered || self == .deliveredClear }
        /// Whether it is one of a row of failures.
        package var countsAsFailure: Bool { self == .retry || self == .halve }
    }

    /// How there may be no answer.
    package enum Failure: String, CaseIterable, Hashable, Sendable {
        /// The device has no network.
        case offline
        case dns, refused, tls, reset
        /// There was no whole answer in time.
        case timeout
        /// An answer that is no HTTP, or ended early.
        case broken
    }

    /// What a rule holds for.
    package enum Match: Hashable, Sendable {
        case status(UInt16)
        /// All statuses of a hundred, such as 5 for `5xx`.
        case group(UInt16)
        case failure(Failure)
        /// Every failure.
        case network
        case anything
    }

    package struct Rule: Hashable, Sendable {
        package var matches: [Match]
        package var verdict: Verdict

        package init(_ matches: [Match], _ verdict: Verdict) {
            self.matches = matches
            self.verdict = verdict
        }
    }

    package private(set) var rules: [Rule]
    /// By status from 100 on, and then by failure: the rule that holds; `UInt8.max` for none.
    private var holders: [UInt8]

    /// - Parameter rules: Fewer than 255.
    package init(_ rules: [Rule]) {
        precondition(rules.count < 255)
        self.rules = rules
        holders = Array(repeating: .max, count: Self.statuses.count + Failure.allCases.count)
        for (index, rule) in rules.enumerated() {
            for match in rule.matches {
                for place in Self.places(of: match) where holders[place] == .max {
                    holders[place] = UInt8(index)
                }
            }
        }
    }

    /// 2xx is delivered, everything else stays.
    package static let plain = AnswerTable([
        Rule([.group(2)], .delivered), Rule([.anything], .retry),
    ])

    /// The statuses that HTTP has.
    package static let statuses: ClosedRange<UInt16> = 100...599

    /// The verdict on an answer; one with a status that HTTP does not have stays.
    package func verdict(status: UInt16) -> Verdict {
        Self.statuses.contains(status) ? rules[Int(holders[Int(status) - 100])].verdict : .retry
    }

    /// The verdict on an upload without an answer.
    package func verdict(_ failure: Failure) -> Verdict {
        rules[Int(holders[Self.place(of: failure)])].verdict
    }

    /// What no rule is about, in the words of a table; `nil` for a whole table.
    package var missing: String? {
        guard let place = holders.firstIndex(of: .max) else { return nil }
        guard place >= Self.statuses.count else { return String(place + 100) }
        return Failure.allCases[place - Self.statuses.count].rawValue
    }

    /// A failure that the table takes for success, though nobody has answered; `nil` for none.
    package var unanswered: Failure? { Failure.allCases.first { verdict($0).isPositive } }

    /// The rules, by number from 0, that never hold: others before them have taken all.
    package var idle: [Int] { rules.indices.filter { !holders.contains(UInt8($0)) } }

    private static func place(of failure: Failure) -> Int {
        statuses.count + (Failure.allCases.firstIndex(of: failure) ?? 0)
    }

    private static func places(of match: Match) -> Range<Int> {
        switch match {
        case .status(let status): Int(status) - 100..<Int(status) - 99
        case .group(let hundred): Int(hundred) * 100 - 100..<Int(hundred) * 100
        case .failure(let failure): place(of: failure)..<place(of: failure) + 1
        case .network: statuses.count..<statuses.count + Failure.allCases.count
        case .anything: 0..<statuses.count + Failure.allCases.count
        }
    }
}

extension AnswerTable.Match {
    /// The words of a table, for messages.
    package static let words =
        ["200", "5xx", "network", "*"] + AnswerTable.Failure.allCases.map(\.rawValue)

    /// Reads a word of a rule: a status, a hundred such as `5xx`, a failure, `network` for every one of these, or `*`.
    package init?(_ word: some StringProtocol) {
        if word == "*" {
            self = .anything
        } else if word == "network" {
            self = .network
        } else if let failure = AnswerTable.Failure(rawValue: String(word)) {
            self = .failure(failure)
        } else if let status = UInt16(word), AnswerTable.statuses.contains(status), word.utf8.count == 3 {
            self = .status(status)
        } else if word.utf8.count == 3, word.hasSuffix("xx"), let hundred = UInt16(word.prefix(1)),
            (1...5).contains(hundred)
        {
            self = .group(hundred)
        } else {
            return nil
        }
    }
}
