package import Timebase

/// What an SDK of one's own does after an upload that did not succeed, beyond keeping or dropping the rows
/// (``KeepRule``). None of the simulated versions does any of it: by default a failure changes nothing, and the
/// next trigger tries again.
package struct RetryPolicy: Hashable, Sendable {
    /// Waiting times that grow from one failure to the next.
    ///
    /// After the n-th failure in a row no upload begins for min(``limit``, ``initial`` · ``factor``ⁿ⁻¹), shortened by a
    /// share of up to ``jitter`` of it that is drawn for the upload. Then the SDK tries again by itself while the app is in the
    /// foreground, unless another trigger does so before. Failures of uploads that were under way beside the one that
    /// began the wait do not count again. An upload that is done with (delivered, or dropped for good) ends the
    /// row of failures.
    package struct Backoff: Hashable, Sendable {
        /// The wait after the first failure.
        package var initial = Interval.seconds(1)
        /// By how much each wait is longer than the one before; 1 or more.
        package var factor = 2.0
        /// The longest wait (`max`).
        package var limit = Interval.minutes(5)
        /// 0…1: 0 waits exactly, 1 anywhere between nothing and the full time.
        package var jitter = 0.0

        package init() {}

        /// The wait after a number of failures in a row.
        ///
        /// - Parameters:
        ///   - failures: 1 or more.
        ///   - stream: Gives one draw where there is jitter.
        package func delay(after failures: UInt32, _ stream: RandomStream) -> Interval {
            var seconds = initial.fractionalSeconds
            let most = limit.fractionalSeconds
            var left = failures
            while left > 1, seconds < most, factor > 1 {
                seconds *= factor
                left -= 1
            }
            seconds = min(seconds, most)
            if jitter > 0 {
                var stream = stream
                seconds *= 1 - jitter * stream.uniform()
            }
            return Interval(nanoseconds: Int64((seconds * 1e9).rounded()))
        }
    }

    /// `nil` for none.
    package var backoff: Backoff?
    /// After a 429 or 503 with `Retry-After` no upload begins before that time is over, a day at most. Triggers due
    /// before are left out, and the next one after it takes the rows along.
    package var heedsRetryAfter = false
    /// After a 413 the requests of this process that are made from then on carry half as many events as the one that was
    /// refused, and the upload goes on at once; an event that is refused alone is dropped.
    package var splitsOn413 = false

    package init() {}

    /// How long no upload begins after a failure, at least; `nil` for no wait.
    package var shortestWait: Interval? {
        backoff.map { backoff in
            let longest = Double(min(backoff.initial, backoff.limit).nanoseconds)
            return Interval(nanoseconds: Int64(longest * (1 - backoff.jitter)))
        }
    }

    /// Whether a failure changes nothing.
    package var isIdle: Bool { backoff == nil && !heedsRetryAfter && !splitsOn413 }

    /// A header may ask for any number of seconds; a day is as long as anybody obeys.
    package static var longestQuiet: Interval { .hours(24) }
}
