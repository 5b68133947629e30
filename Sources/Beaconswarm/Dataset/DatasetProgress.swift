import Timebase

/// How far a dataset is, in words.
enum DatasetProgress {
    /// `█████░░░░░ 25 %, 1200000 rows, 310000 rows/s, 1.2 GB, about 1m 20s left`.
    static func line(share: Double, rows: Int64, bytes: Int, elapsed: Interval) -> String {
        let rate = Int(Double(rows) / max(elapsed.fractionalSeconds, 1e-9))
        return
            "\(ProgressWords.bar(share)) \(Int(share * 100)) %, \(rows) rows, \(rate) rows/s, \(size(bytes))"
            + ProgressWords.timeLeft(share, elapsed: elapsed, from: 0.001)
    }

    /// `12.3 MB`.
    static func size(_ bytes: Int) -> String {
        let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]
        for (unit, factor) in units where Double(bytes) >= factor {
            let tenths = Int((Double(bytes) / factor * 10).rounded())
            return "\(tenths / 10).\(tenths % 10) \(unit)"
        }
        return "\(bytes) B"
    }
}
