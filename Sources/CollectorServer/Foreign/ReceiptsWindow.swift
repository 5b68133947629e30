package import Accounting
package import Timebase

/// The times by which the rows of one run are told from those of others in the same store.
///
/// Where a row says when it was received, that decides: within one of the times in ``received``. Where it
/// only says when its event was captured, that does.
package struct ReceiptsWindow: Sendable, Equatable {
    /// When the run's requests arrived: on the wall clock, and on the run's own, which an embedded
    /// collector keeps.
    package var received: [ClosedRange<Instant>]
    /// When the run's events were captured, by the devices' own clocks; `nil` if that is not known.
    package var captured: ClosedRange<Instant>?

    package init(received: [ClosedRange<Instant>], captured: ClosedRange<Instant>?) {
        self.received = received
        self.captured = captured
    }

    /// Whether a row with these times is of the run; `nil` where no time says so or not.
    func holds(received: Instant?, captured: Instant?) -> Bool? {
        if let received { return self.received.contains { $0.contains(received) } }
        guard let captured, let range = self.captured else { return nil }
        return range.contains(captured)
    }
}

/// What a file says of one run.
package struct ForeignReading: Sendable, Equatable {
    package var receipts = Receipts()
    /// Rows with times outside of the run.
    package var ofOtherRuns: UInt64 = 0
    /// Rows without a time that tells the run; they are taken as its own.
    package var undated: UInt64 = 0
    /// The column that told the runs apart; `nil` where none did.
    package var timeColumn: String?
}

/// Times as stores write them.
enum ReceiptTime {
    /// Reads a number (seconds, milliseconds, microseconds or nanoseconds since 1970, told by its size:
    /// each holds for the years 1973 to 5138) or a text by ISO 8601, with a zone of hours alone as well, as PostgreSQL writes
    /// it; one without a zone is taken as UTC.
    static func instant(_ text: some Collection<UInt8>) -> Instant? {
        let text = String(decoding: text, as: UTF8.self)
        if let whole = Int64(text) { return instant(whole) }
        if let number = Double(text) {
            guard number.isFinite, number.magnitude < 9e18 else { return nil }
            // A fraction is one of a second or of a millisecond.
            guard number.magnitude < 1e14 else { return instant(Int64(number)) }
            // Microseconds are the finest that a Double of this size tells apart.
            let microseconds = (number * (number.magnitude < 1e11 ? 1e6 : 1e3)).rounded()
            return microseconds.magnitude < 9.2e15 ? Instant(nanoseconds: Int64(microseconds) * 1000) : nil
        }
        var stamp = text
        if stamp.hasSuffix(" UTC") { stamp.removeLast(4) }
        let parts = stamp.split(separator: " ")
        if parts.count == 2 { stamp = parts.joined(separator: "T") }
        stamp = withMinutes(stamp)
        return Instant(text: stamp) ?? Instant(text: stamp + "Z")
    }

    /// A time whose zone is `+08` or `+0800` with one of `+08:00`.
    private static func withMinutes(_ stamp: String) -> String {
        // What stands before is a date and a time to the second.
        let signs = [UInt8(ascii: "+"), UInt8(ascii: "-")]
        guard let sign = stamp.utf8.dropFirst(19).lastIndex(where: signs.contains) else { return stamp }
        let zone = stamp[stamp.utf8.index(after: sign)...]
        guard zone.utf8.allSatisfy({ (48...57).contains($0) }) else { return stamp }
        switch zone.utf8.count {
        case 2: return "\(stamp):00"
        case 4: return "\(stamp.dropLast(2)):\(stamp.suffix(2))"
        default: return stamp
        }
    }

    /// What is wrong with a row that says times of which the surest cannot be read; `nil` if it says none.
    ///
    /// - Parameters:
    ///   - times: The texts of ``ForeignReceipts/timeColumns``.
    ///   - captured: What the second of them says.
    static func problem(_ times: [[UInt8]?], captured: Instant?) -> String? {
        let texts = zip(ForeignReceipts.timeColumns, times)
        guard
            let (column, text) = texts.first(where: { column, text in
                let isRead = column == ForeignReceipts.timeColumns[1] && captured != nil
                return !isRead && text?.contains { $0 > 0x20 } == true
            })
        else { return nil }
        let shown = String(decoding: (text ?? []).prefix(40), as: UTF8.self)
        return
            "\(column) is no time: \(shown); allowed are a number since 1970 and such as 2026-03-02T19:30:00Z"
    }

    private static func instant(_ number: Int64) -> Instant? {
        switch number.magnitude {
        case ..<9_223_372_036: Instant(nanoseconds: number * 1_000_000_000)
        case ..<100_000_000_000: nil
        case ..<9_223_372_036_854: Instant(nanoseconds: number * 1_000_000)
        case ..<100_000_000_000_000: nil
        case ..<9_223_372_036_854_775: Instant(nanoseconds: number * 1000)
        case ..<100_000_000_000_000_000: nil
        default: Instant(nanoseconds: number)
        }
    }
}
