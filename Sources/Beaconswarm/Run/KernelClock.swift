import CTimex
import Timebase

/// What the kernel knows of the machine's clock (adjtimex(2), which asks for no rights as long as it changes nothing).
struct KernelClock: Hashable, Sendable {
    /// Whether something keeps it synchronised.
    var isSynchronised: Bool
    /// How far off it may be at most. The kernel lets it grow by 500 µs a second until the clock is adjusted again, up to
    /// 16 s.
    var maximumError: Interval

    /// `nil` where the kernel does not tell.
    static var now: KernelClock? {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return nil }
        return KernelClock(
            isSynchronised: state.status & STA_UNSYNC == 0,
            maximumError: .microseconds(Int64(state.maxerror)))
    }
}
