import Timebase

/// A signal that was heard.
struct HeardSignal: Sendable {
    var number: Int32
    /// By ``Host/monotonic``.
    var at: Interval
    /// Whether others of the process hear it too.
    var isShared = false
}

/// Tells a second request from the echo of the first.
///
/// `timeout` (coreutils) signals its child and then its whole process group, so that one request comes as two signals,
/// microseconds apart. A person who presses Ctrl-C twice takes longer, or presses it a third time.
struct SignalEcho {
    /// Within this time of a signal that counted, the same signal counts no more.
    static let span = Interval.milliseconds(100)

    private var last: HeardSignal?

    /// Whether a signal asks for something that was not asked for yet.
    mutating func isRequest(_ signal: HeardSignal) -> Bool {
        if let last, signal.number == last.number, signal.at - last.at < SignalEcho.span { return false }
        last = signal
        return true
    }

    /// How long the echo of the last signal that counted may still come.
    func rest(at now: Interval) -> Interval {
        guard let last else { return .zero }
        return max(.zero, last.at + SignalEcho.span - now)
    }
}
