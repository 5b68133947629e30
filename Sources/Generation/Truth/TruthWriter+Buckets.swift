package import Files

extension TruthWriter {
    /// Writes all devices in order, a slice of a bucket in memory at a time.
    ///
    /// - Parameters:
    ///   - copies: The rows that events became.
    ///   - isEnded: Asked before each slice; nothing more is written once it says so.
    ///   - tell: Told how much of it is done, 0 to 1, after each bucket.
    package func writeAll(
        of play: DatasetPlay, copies: BucketSpool<CopyRecord>, until isEnded: () -> Bool,
        tell: (_ share: Double) -> Void
    ) throws(FileFailure) {
        let buckets = plans.buckets
        for bucket in 0..<buckets.count where !isEnded() {
            let records = play.fates.reduce(copies.count(of: bucket)) { $0 + $1.count(of: bucket) }
            let slices = buckets.slices(of: bucket, total: plans.deviceCount, records: records)
            for devices in slices where !isEnded() {
                var fates: [FateRecord] = []
                for spool in play.fates {
                    fates += try spool.records(of: bucket) { devices.contains(Int($0.device)) }
                }
                var unsent = UnsentTexts()
                for events in play.unsent { unsent.merge(try events.texts(of: bucket, devices: devices)) }
                let own = try copies.records(of: bucket) { devices.contains(Int($0.device)) }
                try write(devices, fates: fates, copies: own, unsent: unsent)
            }
            tell(Double(bucket + 1) / Double(buckets.count))
        }
        try finish()
    }
}
