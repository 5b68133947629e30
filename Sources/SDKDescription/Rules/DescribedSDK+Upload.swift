package import Timebase

extension DescribedSDK {
    /// When events are sent, and how many at once.
    package struct Upload: Hashable, Sendable {
        package enum CountOf: String, CaseIterable, Sendable {
            /// Rows in the store, at each insert.
            case stored
            /// Rows in the store that no request carries, at each insert.
            case idle
            /// Events captured since the last flush, in the memory of the process.
            case sinceFlush
        }

        package enum TimerRuns: String, CaseIterable, Sendable {
            case foreground
            /// The same, and from the launch by a user on: for an SDK that takes it for the foreground.
            case fromLaunch
            /// As long as the process lives.
            case always
        }

        /// Which starts of the process set off an upload.
        package enum OnLaunch: Hashable, Sendable {
            case never, all
            /// Those by a user; not those by the system, in the background.
            case byUser
        }

        package enum Takes: String, CaseIterable, Sendable {
            /// Rows that no request carries.
            case idle
            /// Rows whether requests carry them or not.
            case all
        }

        package enum WhenOffline: String, CaseIterable, Sendable {
            /// A request is made, and fails.
            case `try`
            /// No upload begins; the next trigger after the network is back does.
            case wait
        }

        /// What becomes of an event that is larger than a request may be.
        package enum Oversize: String, CaseIterable, Sendable {
            /// It is sent by itself.
            case alone
            /// It is not stored.
            case drop
        }

        /// What may set off an upload.
        package enum Trigger: String, CaseIterable, Hashable, Sendable {
            case count, timer, background, foreground, launch, network, immediate, retry
        }

        /// Events that set off an upload; `nil` for none.
        package var flushBulkSize: Int?
        package var countOf = CountOf.stored
        /// From one tick of the timer to the next; `nil` for no timer.
        package var flushInterval: Interval? = .seconds(30)
        package var timerRuns = TimerRuns.foreground
        package var onLaunch = OnLaunch.never
        /// Whether a return from the background sets off an upload.
        package var onForeground = false
        package var onBackground = false
        /// Networks whose arrival sets off an upload, by their names in scenarios.
        package var onNetwork: Set<String> = []
        /// Events, by their names as sent, that are uploaded at once.
        package var immediate: Set<String> = []
        /// Networks on which it uploads, by their names in scenarios; `nil` for any.
        package var networks: Set<String>?
        package var whenOffline = WhenOffline.try
        /// Events in a request, at most; `nil` for all.
        package var batch: Int? = 50
        /// Bytes of a request's events, as a JSON list, at most; `nil` for no limit.
        package var maxBytes: Int?
        package var oversize = Oversize.alone
        /// Whether a flush reads a batch at once, makes as many requests of it as ``maxBytes`` wants, and reads the next
        /// when all of them are done with. A failure beside a success among them is none.
        package var rounds = false
        /// Requests after one trigger, at most.
        package var batches = Batches()
        /// Requests in the air at once, at most.
        package var concurrency = 1
        /// Whether a trigger begins a flush beside one that is under way. Each is then one request at a time.
        package var overlaps = false
        package var takes = Takes.idle
        package var timeout = Interval.seconds(60)

        package init() {}

        /// Requests after a trigger, at most, each starting when the one before is done with.
        package struct Batches: Hashable, Sendable {
            /// `nil` until the store is empty.
            package var others: Int?
            /// The same for some triggers.
            package var own: [Trigger: Int?] = [:]

            package init() {}

            package subscript(trigger: Trigger) -> Int { (own[trigger] ?? others) ?? .max }
        }
    }

    /// What a failed upload changes beyond its rows.
    package struct Retry: Hashable, Sendable {
        package enum Shape: String, CaseIterable, Sendable {
            /// `initial` each time.
            case constant
            /// n · `initial`.
            case linear
            /// `initial` · `factor`ⁿ⁻¹.
            case exponential
        }

        /// How long no upload begins after the n-th failure in a row.
        package struct Backoff: Hashable, Sendable {
            package var shape = Shape.exponential
            package var initial = Interval.seconds(1)
            package var factor = 2.0
            /// The longest wait, with what chance adds; `nil` for no limit.
            package var longest: Interval?
            /// What chance adds to each wait at most, drawn evenly.
            package var jitter = Interval.zero
            /// The first failure in a row that is followed by a wait; those before it count all the same.
            package var from = 1

            package init() {}

            /// Whether there is a wait after a number of failures in a row, from 1 on.
            package func follows(_ failures: UInt32) -> Bool { Int(failures) >= from }

            /// The wait after a number of failures in a row; zero where there is none.
            ///
            /// - Parameters:
            ///   - failures: 1 or more.
            ///   - chance: What chance adds, 0 to 1 of ``jitter``.
            package func delay(after failures: UInt32, chance: Double) -> Interval {
                guard follows(failures) else { return .zero }
                var seconds = initial.fractionalSeconds
                let most = longest?.fractionalSeconds ?? 1e9
                switch shape {
                case .constant: break
                case .linear: seconds *= Double(failures)
                case .exponential:
                    var left = failures
                    while left > 1, seconds < most, factor > 1 {
                        seconds *= factor
                        left -= 1
                    }
                }
                seconds += jitter.fractionalSeconds * chance
                return Interval(nanoseconds: Int64((min(seconds, most) * 1e9).rounded()))
            }
        }

        /// How the wait that an answer asks for goes with the back-off's.
        package enum Combine: String, CaseIterable, Sendable {
            /// The longer of both.
            case max
            /// The answer's alone.
            case replace
        }

        /// Obedience to `Retry-After`.
        package struct RetryAfter: Hashable, Sendable {
            /// Statuses whose header counts, those of success too; `nil` for all that are not taken as success.
            package var on: Set<UInt16>?
            /// The longest wait.
            package var longest = Interval.hours(24)
            package var combine = Combine.max

            package init() {}
        }

        /// What waits after a failure.
        package enum Gates: String, CaseIterable, Sendable {
            /// Every upload.
            case flush
        }

        /// What becomes of the rows when the SDK gives up.
        package enum Exhausted: String, CaseIterable, Sendable {
            /// Those of the batch leave.
            case dropBatch
            /// The whole store is emptied.
            case clear
            /// They stay, and nothing is sent until the latch opens.
            case latch
        }

        /// A stop of all uploads.
        package struct Latch: Hashable, Sendable {
            /// What opens it; a new process always does.
            package enum Until: String, CaseIterable, Hashable, Sendable { case network, foreground, launch }

            /// Failures that close it at once.
            package var on: Set<AnswerTable.Failure> = []
            package var until: Set<Until> = [.launch]

            package init() {}
        }

        /// `nil` for none: the next trigger tries again.
        package var backoff: Backoff?
        package var retryAfter: RetryAfter?
        package var gates = Gates.flush
        /// Whether the SDK tries again by itself when a wait is over.
        package var wakes = false
        /// How often an upload is tried again; the failure after that gives up. `nil` for no limit.
        package var attempts: Int?
        package var exhausted = Exhausted.dropBatch
        package var latch: Latch?

        package init() {}
    }
}
