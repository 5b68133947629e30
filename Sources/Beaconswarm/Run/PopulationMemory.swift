import DeviceSDK
import Measurement

/// What the devices of a population take in memory when most of it is taken, in bytes, by a sample of them.
struct PopulationMemory {
    /// All but requests that wait for their answers.
    private(set) var devices: Double
    /// Requests that wait for their answers, in virtual time.
    private(set) var openRequests: Double

    /// Where a sample was not played to the end of the run: how many times as many devices are in use at the same time
    /// at most as on average.
    private static let peakToMean = 4.0

    /// - Parameters:
    ///   - share: Of the devices, for which the sample stands.
    ///   - events: That these capture.
    ///   - meanActive: Of these, those whose app is open, on average over the users' time.
    ///   - blocked: What keeps them from sending.
    init(
        of plan: PopulationPlan, _ sample: PopulationSample, share: Double, events: Double,
        meanActive: Double,
        blocked: BlockedUploads
    ) {
        let footprint = plan.system.footprint
        let count = Double(plan.deviceCount) * share
        let buckets = sample.recorder.series.buckets
        let isWhole = sample.totalScale <= sample.scale * 1.001
        let seen = Double(buckets.map(\.gauges.devicesActive).max() ?? 0) * sample.scale
        let active = min(count, isWhole ? seen : max(seen, meanActive * PopulationMemory.peakToMean))
        // Of those that no sample saw, each stores as much.
        let unseen = seen > 0 ? max(1, active / seen) : 1
        let stored = Double(buckets.map(\.gauges.storedRows).max() ?? 0) * sample.scale * unseen
        let kept = events * blocked.shareKept(sample.recorder.series, isWhole: isWhole)
        let limit = Double(plan.statedBounds(disksFail: !plan.disk.isIdle).rows) * count
        devices =
            count * Double(footprint.idle) + active * Double(footprint.active)
            + min(stored + kept, limit) * Double(footprint.storedEvent)
        if !plan.tagsEvents || !plan.system.tagsAllEvents { devices += events * DeviceMemory.naturalKey }
        let waiting = blocked.holdsRequests ? active * Double(plan.system.uploadsAtOnce) : 0
        openRequests = max(Double(sample.openRequests) * sample.scale, waiting) * DeviceMemory.openRequest
    }
}
