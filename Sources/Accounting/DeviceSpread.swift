/// How far a population's figures are its users' chance: means over its devices, with their standard errors.
///
/// The devices are taken for a sample of all that might have been. What they have in common, such as an outage, moves
/// all of them and is not in the errors.
package struct DeviceSpread: Hashable, Sendable {
    /// A mean over devices.
    package struct Estimate: Hashable, Sendable {
        package var mean: Double
        package var standardError: Double

        package init(mean: Double, standardError: Double) {
            self.mean = mean
            self.standardError = standardError
        }
    }

    /// Captured events of a device.
    package var captured: Estimate
    /// The share of captured events that is gone (evicted, rejected or lost), 0…1; `nil` where it is not known by device.
    package var gone: Estimate?

    package init(captured: Estimate, gone: Estimate? = nil) {
        self.captured = captured
        self.gone = gone
    }

    /// - Parameters:
    ///   - captured: Events of each device.
    ///   - gone: How many of them are gone, likewise; `nil` if nobody knows.
    /// - Returns: `nil` for fewer than two devices, and where nothing was captured.
    init?(captured: ArraySlice<UInt32>, gone: [UInt32]?) {
        let devices = Double(captured.count)
        let total = Double(captured.reduce(0) { $0 + UInt64($1) })
        guard captured.count > 1, total > 0 else { return nil }
        func error(_ deviations: some Sequence<Double>) -> Double {
            (deviations.reduce(0) { $0 + $1 * $1 } / (devices - 1) * devices).squareRoot()
        }
        let mean = total / devices
        self.captured = Estimate(
            mean: mean, standardError: error(captured.lazy.map { Double($0) - mean }) / devices)
        guard let gone else { return }
        // The ratio of two sums over the same devices (W. G. Cochran, Sampling Techniques, 3rd ed. 1977, 6.4).
        let share = Double(gone.reduce(0) { $0 + UInt64($1) }) / total
        let deviations = zip(captured, gone).lazy.map { Double($1) - share * Double($0) }
        self.gone = Estimate(mean: share, standardError: error(deviations) / total)
    }
}

extension DeviceBeliefs {
    /// The spread of each of several populations, by the numbers of their devices and their books.
    ///
    /// What the beliefs do not tell completely by device, as where a part of the run is missing or events have no ids, is left
    /// out: the sums must be those of the books.
    ///
    /// - Complexity: O(devices + runs of undelivered events)
    package func spreads(of populations: [(devices: Range<Int>, ledger: Ledger)]) -> [DeviceSpread?] {
        let goneOfAll = goneCounts
        return populations.map { devices, ledger in
            guard devices.upperBound <= capturedCounts.count else { return nil }
            let captured = capturedCounts[devices]
            let gone = Array(goneOfAll[devices])
            func sum(_ counts: some Sequence<UInt32>) -> UInt64 { counts.reduce(0) { $0 + UInt64($1) } }
            guard sum(captured) == ledger.captured else { return nil }
            return DeviceSpread(captured: captured, gone: sum(gone) == ledger.lostInAnyWay ? gone : nil)
        }
    }

    /// How many events of each device are gone for good, as far as they have ids.
    private var goneCounts: [UInt32] {
        var counts = [UInt32](repeating: 0, count: capturedCounts.count)
        for run in undelivered.sorted.runs where Int(run.device) < counts.count {
            switch Disposition(code: run.code)?.fate {
            case .evicted, .rejected, .lost: counts[Int(run.device)] += run.last - run.first + 1
            case .delivered, .suppressed, .pending, nil: break
            }
        }
        return counts
    }
}
