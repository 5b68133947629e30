/// Options of `compare`.
public struct CompareOptions: Sendable {
    /// What the candidate is held against: a run's folder, a report, a baseline, or `RUN/variants/NAME`.
    public var base: String
    /// The same; `nil` for another variant of the same run.
    public var candidate: String?
    /// Which variant of a run with variants is meant; `nil` for `base`.
    public var baseVariant: String?
    /// The same of the candidate.
    public var candidateVariant: String?
    /// Such as `events_lost<=base+0.0005`.
    public var gates: [String] = []
    /// Such as `events_lost=0.001`: the least difference that matters.
    public var leastEffects: [String] = []
    /// Whether a gate fails that cannot be told.
    public var isStrict = false
    /// Whether scenarios may differ in more than their policies.
    public var allowsDifferent = false
    /// One of ``CompareOptions/formats``; `nil` for a terminal.
    public var format: String?
    /// A folder for the comparison in all forms; it must not exist.
    public var out: String?
    /// Nothing on standard output.
    public var quiet = false
    /// Colours where the output is a terminal.
    public var color = true

    /// The forms of a comparison.
    public static let formats = ["html", "md", "junit", "json"]

    /// Asks for a comparison.
    public init(base: String, candidate: String?) {
        self.base = base
        self.candidate = candidate
    }
}
