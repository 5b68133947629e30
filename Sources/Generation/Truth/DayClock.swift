import Datasets
import Timebase

/// The days of a zone's clocks.
struct DayClock {
    private var clock: PartitionClock
    /// The last day asked for.
    private var number: Int64?
    private var date = ""

    init(_ zone: ZoneOffsets) { clock = PartitionClock(.day, zone: zone, type: .timestampMillis) }

    /// The day of a time in milliseconds since 1970, counted from 1970-01-01, and as text.
    mutating func day(ofMilliseconds milliseconds: Int64) -> (number: Int64, text: String) {
        let day = clock.key(of: milliseconds)
        if day != number {
            number = day
            date = CivilTime(Instant(milliseconds: day * 86_400_000)).dateText
        }
        return (day, date)
    }
}
