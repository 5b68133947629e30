package import Timebase
package import Wire

extension DescribedSDK {
    /// A configuration that an SDK fetches, and what it turns.
    package struct Config: Hashable, Sendable {
        package enum Method: String, CaseIterable, Sendable {
            case get = "GET"
            case post = "POST"
        }

        /// When it is fetched.
        package enum Moment: String, CaseIterable, Hashable, Sendable {
            /// Each start of the process.
            case launch
            /// Each return from the background.
            case foreground
            /// Each new session.
            case session
            case login, logout
        }

        /// What a value in a configuration turns. What a configuration does not have is as the description says.
        package enum Knob: String, CaseIterable, Sendable {
            /// A truth value: whether events are captured; others are suppressed (`sdk_disabled`).
            case capture
            /// The same, by whether the path is there at all.
            case captureIfThere
            /// A truth value: whether uploads begin.
            case upload
            /// Whole numbers of events, 1 or more.
            case flushBulkSize, batch
            /// A number of seconds, 0.1 or more.
            case flushInterval
        }

        package struct Turn: Hashable, Sendable {
            package var path: JSONPath
            package var knob: Knob

            package init(_ path: JSONPath, _ knob: Knob) {
                self.path = path
                self.knob = knob
            }
        }

        package var moments: Set<Moment> = [.launch]
        package var method = Method.get
        /// Begins with `/`; text with what is the same for all devices.
        package var path = Template.constant("/")
        package var query: [Request.Line] = []
        /// JSON, of a POST.
        package var body: Template?
        /// The least time from one fetch of a process to the next.
        package var every = Interval.zero
        package var timeout = Interval.seconds(60)
        /// How many events wait in memory for its answer, the oldest giving way to newer ones; `nil` where none waits.
        /// Nothing is sent meanwhile.
        package var holds: Int?
        package var turns: [Turn] = []
        /// What the collector answers as long as nothing else is said: JSON.
        package var fallback = "{}"

        package init() {}
    }

    /// What a fetched configuration has turned; `nil` for what it leaves to the description.
    package struct Turned: Hashable, Sendable {
        package var captures = true
        package var uploads = true
        package var flushBulkSize: Int?
        package var batch: Int?
        package var flushInterval: Interval?

        package init() {}

        /// Leaves a knob to the description.
        fileprivate mutating func forget(_ knob: Config.Knob) {
            switch knob {
            case .capture, .captureIfThere: captures = true
            case .upload: uploads = true
            case .flushBulkSize: flushBulkSize = nil
            case .batch: batch = nil
            case .flushInterval: flushInterval = nil
            }
        }
    }
}

extension DescribedSDK.Config {
    /// What an answer turns, in place of what the same configuration turned before.
    ///
    /// - Parameter body: JSON.
    /// - Returns: `nil` for a body that is no JSON object: it changes nothing.
    package func turn(_ turned: DescribedSDK.Turned, by body: [UInt8]) -> DescribedSDK.Turned? {
        guard let node = try? JSONReader.readStrictly(body), node.members != nil else { return nil }
        var turned = turned
        for turn in turns { turned.forget(turn.knob) }
        // Of several places that turn one knob, each may forbid something, and the first number that is there holds.
        for turn in turns {
            let value = node.value(at: turn.path.tokens)
            switch turn.knob {
            case .capture: turned.captures = turned.captures && value?.flag ?? true
            case .captureIfThere:
                turned.captures = turned.captures && value.map { $0.content != .null } ?? false
            case .upload: turned.uploads = turned.uploads && value?.flag ?? true
            case .flushBulkSize: turned.flushBulkSize = turned.flushBulkSize ?? value?.count
            case .batch: turned.batch = turned.batch ?? value?.count
            case .flushInterval:
                turned.flushInterval = turned.flushInterval ?? value?.seconds
            }
        }
        return turned
    }
}

extension JSONNode {
    /// A truth value.
    fileprivate var flag: Bool? {
        if case .bool(let value) = content { value } else { nil }
    }

    /// A time between ticks.
    fileprivate var seconds: Interval? {
        digits.flatMap { Double($0) }.flatMap { seconds in
            (0.1...1e8).contains(seconds) ? .fractional(seconds: seconds) : nil
        }
    }

    /// A whole number of things, 1 or more, however it is written: 2.0 is 2.
    fileprivate var count: Int? {
        digits.flatMap { Int($0) ?? Double($0).flatMap { Int(exactly: $0) } }
            .flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
}
