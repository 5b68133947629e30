package import Timebase

/// A planted mistake of the app's code that tracks an event: what the user does is sound, what the SDK is told is not.
package struct TrackingBug: Hashable, Sendable {
    package var pattern: PatternID
    /// Index into ``AppDescription/events``: what the user does.
    package var event: UInt16
    /// Index of the ``BusinessEvent/Variant`` that the code sends.
    package var variant: UInt16
    /// Whether it is sent beside the event, and not in its place.
    package var isExtra: Bool
    /// Share of the events concerned.
    package var share: Double
    package var window: Range<Instant>
    /// Only while the app has this version.
    package var version: UInt16?

    package init(
        pattern: PatternID, event: UInt16, variant: UInt16, isExtra: Bool, share: Double,
        window: Range<Instant>
    ) {
        self.pattern = pattern
        self.event = event
        self.variant = variant
        self.isExtra = isExtra
        self.share = share
        self.window = window
    }

    /// The same so much later.
    package func shifted(by offset: Interval) -> TrackingBug {
        var shifted = self
        shifted.window = window.shifted(by: offset)
        return shifted
    }

    /// Whether it meets the event of a moment.
    ///
    /// - Parameter stream: The device's of patterns. What is drawn belongs to the bug and the moment, so nothing else
    ///   moves it.
    fileprivate func meets(
        _ event: UInt16, at instant: Instant, version: UInt16, _ stream: RandomStream
    ) -> Bool {
        guard event == self.event, window.contains(instant), self.version.map({ $0 == version }) ?? true
        else { return false }
        var own = stream.child(pattern.stream).child(UInt64(bitPattern: instant.nanoseconds))
        return own.chance(share)
    }
}

extension [TrackingBug] {
    /// What the app's code tells the SDK of an action: the action itself unless a bug meets it, and one more call for
    /// an event that is sent twice. Of several bugs that would meet an event, the first one does.
    ///
    /// - Parameters:
    ///   - version: The app's, as an index into ``AppDescription/versions``.
    ///   - stream: The device's of patterns.
    package func calls(
        for planned: PlannedAction, version: UInt16, stream: RandomStream
    ) -> (first: PlannedAction, extra: PlannedAction?) {
        guard let event = planned.action.trackedEvent,
            let bug = first(where: {
                $0.meets(event, at: planned.at, version: version, stream)
            })
        else { return (planned, nil) }
        var wrong = planned
        wrong.action = planned.action.tracking(bug.variant)
        guard bug.isExtra else { return (wrong, nil) }
        var first = planned
        // The code goes on: the second call is still to come.
        first.isAnswered = true
        return (first, wrong)
    }
}

extension UserAction {
    /// The event that the app's own code sends.
    fileprivate var trackedEvent: UInt16? {
        switch self {
        case .business(let event, _), .web(let event, _): event
        default: nil
        }
    }

    /// The same with another event.
    fileprivate func tracking(_ event: UInt16) -> UserAction {
        switch self {
        case .business(_, let subject): .business(event: event, subject: subject)
        case .web(_, let subject): .web(event: event, subject: subject)
        default: self
        }
    }
}
