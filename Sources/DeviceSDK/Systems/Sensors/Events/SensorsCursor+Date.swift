import Timebase

extension SensorsCursor {
    /// Writes `yyyy-MM-dd HH:mm:ss.SSS` as a clock shows it that is `offset` ahead of UTC.
    mutating func put(date instant: Instant, offset: Interval) {
        let civil = CivilTime(instant, offset: offset)
        put(UInt64(max(0, civil.year)), digits: 4)
        put(byte: UInt8(ascii: "-"))
        put(UInt64(civil.month), digits: 2)
        put(byte: UInt8(ascii: "-"))
        put(UInt64(civil.day), digits: 2)
        put(byte: UInt8(ascii: " "))
        put(UInt64(civil.hour), digits: 2)
        put(byte: UInt8(ascii: ":"))
        put(UInt64(civil.minute), digits: 2)
        put(byte: UInt8(ascii: ":"))
        put(UInt64(civil.second), digits: 2)
        put(byte: UInt8(ascii: "."))
        put(UInt64(civil.millisecond), digits: 3)
    }
}
