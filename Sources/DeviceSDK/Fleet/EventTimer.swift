package import Timebase

/// The running clock of a timed event.
package struct EventTimer {
    package var event: UInt16
    /// When the present stretch in the foreground began.
    package var began: Instant
    /// The stretches before.
    package var accumulated = Interval.zero

    /// - Parameter began: Now.
    package init(event: UInt16, began: Instant) {
        self.event = event
        self.began = began
    }
}
