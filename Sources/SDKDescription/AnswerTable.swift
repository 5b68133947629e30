package import Wire

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
        /// As `retry`, without a wait; from now on requests carry half as many events as this one, and half as many as
        /// before set off an upload. One that is refused alone is dropped.
        case halve
        /// The batch is sent again in two halves. One event that is refused alone is dropped.
        case split
        /// Those leave the store that the answer's body lists (``Rule/listed``); the others stay. As `retry` where it
        /// lists none.
        case dropListed

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
        /// Statuses of an answer whose body, in JSON, has a plain value at a path.
        case body(ClosedRange<UInt16>, at: JSONPath, value: String)
        case failure(Failure)
        /// Every failure.
        case network
        case anything
    }

    package struct Rule: Hashable, Sendable {
        package var matches: [Match]
        package var verdict: Verdict
        /// Where an answer's body has the indices, from 0, of the events that are refused: numbers, or lists of them. `*`
        /// stands for each member and each element. Of ``Verdict/dropListed`` alone.
        package var listed: [JSONPath]

        package init(_ matches: [Match], _ verdict: Verdict, listed: [JSONPath] = []) {
            self.matches = matches
            self.verdict = verdict
            self.listed = listed
        }
    }

    package private(set) var rules: [Rule]
    /// By status from 100 on, and then by failure: the rule that holds whatever a body has; `UInt8.max` for none.
    private var holders: [UInt8]
    /// The rules that look into bodies, as far as none before them has taken all of their statuses.
    private var readers: [Int] = []

    /// - Parameter rules: Fewer than 255.
    package init(_ rules: [Rule]) {
        precondition(rules.count < 255)
        self.rules = rules
        holders = Array(repeating: .max, count: Self.statuses.count + Failure.allCases.count)
        for (index, rule) in rules.enumerated() {
            for match in rule.matches {
                let free = Self.indices(of: match).filter { holders[$0] == .max }
                if case .body = match {
                    if !free.isEmpty, readers.last != index { readers.append(index) }
                } else {
                    for holder in free { holders[holder] = UInt8(index) }
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

    /// Whether a verdict may depend on what an answer's body has.
    package var readsBodies: Bool { !readers.isEmpty || rules.contains { $0.verdict == .dropListed } }

    /// The verdict on an answer; one with a status that HTTP does not have stays.
    ///
    /// - Parameter body: Read only where ``readsBodies``; one that is no JSON has no values.
    /// - Complexity: O(1), and with rules about bodies O(these rules + bytes).
    package func verdict(status: UInt16, body: @autoclosure () -> [UInt8] = []) -> Verdict {
        rule(status: status, body: body())?.verdict ?? .retry
    }

    /// The rule that holds for an answer; `nil` for a status that HTTP does not have.
    package func rule(status: UInt16, body: @autoclosure () -> [UInt8] = []) -> Rule? {
        guard Self.statuses.contains(status) else { return nil }
        let holder = Int(holders[Int(status) - 100])
        let before = readers.filter { $0 < holder }
        if !before.isEmpty, let node = try? JSONReader.readStrictly(body()) {
            for rule in before where rules[rule].matches.contains(where: { $0.holds(for: status, node) }) {
                return rules[rule]
            }
        }
        return rules[holder]
    }

    /// The verdict on an upload without an answer.
    package func verdict(_ failure: Failure) -> Verdict {
        rules[Int(holders[Self.index(of: failure)])].verdict
    }

    /// What no rule is about, in the words of a table; `nil` for a whole table.
    package var missing: String? {
        guard let index = holders.firstIndex(of: .max) else { return nil }
        guard index >= Self.statuses.count else { return String(index + 100) }
        return Failure.allCases[index - Self.statuses.count].rawValue
    }

    /// A failure that the table takes for success, though nobody has answered; `nil` for none.
    package var unanswered: Failure? { Failure.allCases.first { verdict($0).isPositive } }

    /// A failure after which the table looks for a list in an answer that nobody has given; `nil` for none.
    package var unlisted: Failure? { Failure.allCases.first { verdict($0) == .dropListed } }

    /// The rules, by number from 0, that never hold: others before them have taken all.
    package var idle: [Int] {
        rules.indices.filter { !holders.contains(UInt8($0)) && !readers.contains($0) }
    }

    /// An answer that is taken for success, if the table knows one: its status, and what its body has to have. A status
    /// of success (RFC 9110, section 15.3) before any other.
    package var success: (status: UInt16, body: (path: JSONPath, value: String)?)? {
        for rule in readers where rules[rule].verdict.isPositive {
            for case .body(let statuses, let path, let value) in rules[rule].matches {
                // Rules before this one may take some of its answers for something else.
                let body = Self.body(with: value, at: path)
                let status = statuses.first { verdict(status: $0, body: body).isPositive }
                if let status { return (status, (path, value)) }
            }
        }
        let positive = Self.statuses.filter { rules[Int(holders[Int($0) - 100])].verdict.isPositive }
        return (positive.first { (200...299).contains($0) } ?? positive.first).map { (status: $0, body: nil) }
    }

    /// The least JSON that has a value at a place: a text, unless it is a whole number or a truth value.
    package static func body(with value: String, at path: JSONPath) -> [UInt8] {
        var json = WireBuffer()
        for token in path.tokens {
            json.append(UInt8(ascii: "{"))
            json.appendJSONString(token)
            json.append(UInt8(ascii: ":"))
        }
        let isPlain = value == "true" || value == "false" || Int64(value).map { String($0) } == value
        if isPlain { json.append(value) } else { json.appendJSONString(value) }
        for _ in path.tokens { json.append(UInt8(ascii: "}")) }
        return json.bytes
    }

    /// Whether the same answers are a success as by another table. Tables that look into bodies have to be the same.
    package func hasSuccesses(of other: AnswerTable) -> Bool {
        if self == other { return true }
        guard !readsBodies, !other.readsBodies else { return false }
        return Self.statuses.allSatisfy {
            verdict(status: $0).isPositive == other.verdict(status: $0).isPositive
        }
    }

    private static func index(of failure: Failure) -> Int {
        statuses.count + (Failure.allCases.firstIndex(of: failure) ?? 0)
    }

    private static func indices(of match: Match) -> Range<Int> {
        switch match {
        case .status(let status): Int(status) - 100..<Int(status) - 99
        case .group(let hundred): Int(hundred) * 100 - 100..<Int(hundred) * 100
        case .body(let statuses, _, _): Int(statuses.lowerBound) - 100..<Int(statuses.upperBound) - 99
        case .failure(let failure): index(of: failure)..<index(of: failure) + 1
        case .network: statuses.count..<statuses.count + Failure.allCases.count
        case .anything: 0..<statuses.count + Failure.allCases.count
        }
    }
}

extension AnswerTable.Match {
    /// The words of a table, for messages.
    package static let words =
        ["200", "5xx", "network", "*"] + AnswerTable.Failure.allCases.map(\.rawValue)

    /// Reads a word of a rule: a status, a hundred such as `5xx`, either of them with a path and a value of the body
    /// (`2xx/code=200`), a failure, `network` for every one of these, or `*`.
    package init?(_ word: some StringProtocol) {
        if let slash = word.firstIndex(of: "/") {
            guard let statuses = Self(word[..<slash])?.statuses,
                let sign = word[slash...].firstIndex(of: "="),
                let path = JSONPath(text: String(word[slash..<sign]))
            else { return nil }
            self = .body(statuses, at: path, value: String(word[sign...].dropFirst()))
        } else if word == "*" {
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

    /// The answers that it holds for, whatever their bodies have; `nil` for what is no answer.
    package var answers: ClosedRange<UInt16>? {
        if case .anything = self { AnswerTable.statuses } else { statuses }
    }

    private var statuses: ClosedRange<UInt16>? {
        switch self {
        case .status(let status): status...status
        case .group(let hundred): hundred * 100...hundred * 100 + 99
        default: nil
        }
    }

    /// Whether it is about an answer with this status and this body.
    fileprivate func holds(for status: UInt16, _ body: JSONNode) -> Bool {
        guard case .body(let statuses, let path, let value) = self, statuses.contains(status) else {
            return false
        }
        return switch body.value(at: path.tokens)?.content {
        case .string(let text)?: text == value
        // However it is written: 200.0 is 200.
        case .number(let digits)?: digits == value || Double(digits).map { $0 == Double(value) } ?? false
        case .bool(let flag)?: String(flag) == value
        default: false
        }
    }
}
