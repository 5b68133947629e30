import Synchronization
import Timebase

/// The value of the `Date` header (RFC 9110, section 5.6.7), made once for each second: by it, clients that play a load
/// together tell how far their clocks are apart.
final class DateHeader: Sendable {
    private struct Made: Sendable {
        var second = Int64.min
        var text = ""
    }

    private let made = Mutex(Made())

    /// The header of an answer that is written at this moment of the server's clock.
    func text(at now: Instant) -> String {
        let second = now.milliseconds / 1000
        return made.withLock { made in
            if made.second != second { made = Made(second: second, text: DateHeader.format(now)) }
            return made.text
        }
    }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func format(_ instant: Instant) -> String {
        let time = CivilTime(instant)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        // The first of January 1970 was a Thursday.
        let dayOfWeek = Int(((CivilTime.dayNumber(instant) % 7) + 7) % 7)
        return "\(days[dayOfWeek]), \(two(time.day)) \(months[time.month - 1]) \(time.year) "
            + "\(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }
}
