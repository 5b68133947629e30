package import Timebase

/// What an answer's `Retry-After` asks for (RFC 9110, 10.2.3).
package enum RetryAfter: Hashable, Sendable {
    case delay(Interval)
    /// On the wall clock.
    case date(Instant)

    /// No answer keeps a client away for longer; more is taken as this.
    package static let limit = Interval.hours(24 * 7)

    /// How long to wait from now on: zero for a date that has passed, ``limit`` at most.
    ///
    /// - Parameter wallClock: Read only for a date.
    package func interval(at wallClock: @autoclosure () -> Instant) -> Interval {
        switch self {
        case .delay(let delay): min(delay, RetryAfter.limit)
        case .date(let date): min(max(.zero, date - wallClock()), RetryAfter.limit)
        }
    }

    /// Reads a field's value; `nil` for one that is neither whole seconds nor a date.
    init?(_ value: UnsafeRawBufferPointer) {
        guard let first = value.first else { return nil }
        if (0x30...0x39).contains(first) {
            guard let seconds = RetryAfter.number(value) else { return nil }
            self = .delay(.seconds(min(Int64(seconds), RetryAfter.limit.nanoseconds / 1_000_000_000)))
        } else {
            guard value.count < 64, let date = RetryAfter.date(value) else { return nil }
            self = .date(date)
        }
    }

    /// Digits only; what is too large for a date or a delay stays at the largest.
    private static func number(_ bytes: some Sequence<UInt8>) -> Int? {
        var number = 0
        for byte in bytes {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = min(number * 10 + Int(byte - 0x30), 1_000_000_000_000)
        }
        return number
    }

    /// All three forms of a date (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`,
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    static func date(_ value: UnsafeRawBufferPointer) -> Instant? {
        let words = value.split { $0 == 0x20 || $0 == 0x2C || $0 == 0x2D }
        guard words.count >= 5, let clock = words.first(where: { $0.contains(0x3A) }) else { return nil }
        guard let month = words.lazy.compactMap({ RetryAfter.month($0) }).first else { return nil }
        let numbers = words.filter { $0.allSatisfy { (0x30...0x39).contains($0) } }
            .compactMap { RetryAfter.number($0) }
        let time = clock.split(separator: 0x3A, omittingEmptySubsequences: false)
            .compactMap { $0.isEmpty ? nil : RetryAfter.number($0) }
        guard numbers.count == 2, time.count == 3, (1...31).contains(numbers[0]), time[0] < 24,
            time[1] < 60, time[2] <= 60, numbers[1] <= 9999
        else { return nil }
        // Two digits are of this century, as far as they lie less than 50 years ahead; nobody asks for more.
        let year = numbers[1] < 100 ? numbers[1] + (numbers[1] < 70 ? 2000 : 1900) : numbers[1]
        let days = CivilTime.days(year: year, month: month, day: numbers[0])
        let seconds = days * 86_400 + Int64(time[0] * 3600 + time[1] * 60 + time[2])
        return Instant(clampingSeconds: seconds)
    }

    private static func month(_ word: some Sequence<UInt8>) -> Int? {
        let names = "JanFebMarAprMayJunJulAugSepOctNovDec".utf8
        let name = Array(word)
        guard name.count == 3 else { return nil }
        return (1...12).first { names.dropFirst(($0 - 1) * 3).prefix(3).elementsEqual(name) }
    }
}
