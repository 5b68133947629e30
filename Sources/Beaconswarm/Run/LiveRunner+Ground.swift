import DeviceSDK
import LiveEngine
import Reporting
import Scenario

// MARK: - What a run stands on

extension LiveRunner {
    /// What a run may take of the machine, and what it is forecast to send.
    struct Ground {
        /// Of all devices, those of other parts included.
        var forecast: Forecast
        /// Whether the collector is in the process.
        var embeds: Bool
        /// Event loops that play devices.
        var loopCount: Int
        /// Connections to devices' own files that may be open at once.
        var storeBudget: Int
        /// Descriptors that connections may take.
        var budget: Int
    }

    /// Refuses what cannot be played, before anything is looked up, opened or made.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for options, 104 for what does not fit into the machine.
    func ground() throws(CommandFailure) -> Ground {
        try checkPart()
        try TargetGate.check(scenario.document, options: options)
        let embeds = scenario.document.needsEmbeddedCollector
        try checkOutputs(embeds: embeds)
        let forecast = Forecast(
            scenario.document, pace: scenario.document.pace, controlsCollector: embeds)
        try RateLimit.check(
            forecast, populations: scenario.document.populations.count, maximumRate: options.maximumRate)
        let share = forecast.share(of: part)
        let (loopCount, limit) = try Room.eventLoops(options.threads, embeds: embeds)
        let storeBudget = MachineLimits.storeBudget(
            limit: limit, files: scenario.filesOfDevices / (part?.count ?? 1))
        let budget = MachineLimits.descriptorBudget(
            limit: limit, sharedWithCollector: embeds, stores: storeBudget)
        try Room.checkDescriptors(share, limit: limit, budget: budget)
        try Room.checkMemory(share, connections: budget)
        return Ground(
            forecast: forecast, embeds: embeds, loopCount: loopCount, storeBudget: storeBudget, budget: budget
        )
    }

    /// What there is to beware of besides what the scenario itself tells, without secrets.
    ///
    /// - Parameters:
    ///   - embeds: Whether the collector is in the process.
    ///   - budget: Descriptors that connections may take.
    ///   - forecast: Of the devices of this part.
    ///   - plans: Of all devices.
    func warnings(embeds: Bool, budget: Int, forecast: Forecast, of plans: ScenarioPlans) -> [String] {
        let document = scenario.document
        var warnings: [String] = []
        if document.server != nil {
            warnings.append("/server: only simulations have a modelled server; this run's is real")
        }
        if !embeds {
            warnings += document.collectorEntries.map { entry in
                // Without a name, a condition names it by its place.
                let name = entry.name ?? String(entry.pointer.dropFirst("/timeline/".count))
                let isAsked = scenario.thresholds.contains { $0.entry == name }
                return "\(entry.pointer): skipped, since an external target cannot be made to: \(entry.text)"
                    + (isAsked ? "; conditions on this entry have no samples, and fail" : "")
            }
        }
        warnings += [
            LiveEngine.capacityProblem(
                plans: plans.populations, inUse: forecast.inUse, of: part?.share ?? .whole,
                descriptorBudget: budget),
            LiveEngine.portProblem(plans: plans.populations, requestsPerSecond: forecast.requestsMean),
        ].compactMap { $0 }
        return warnings.map(document.redact)
    }

    /// Refuses outputs, and inputs besides the scenario, that this run cannot have.
    private func checkOutputs(embeds: Bool) throws(CommandFailure) {
        if embeds, !options.receipts.isEmpty {
            throw CommandFailure(
                .usage, "--receipts is for external targets: the embedded collector tells its own")
        }
        if !embeds, options.store != nil {
            throw CommandFailure(
                .usage, "--store keeps the embedded collector's store: an external target has its own")
        }
        try RunStores.check(keep: options.keepStores, of: scenario)
        if let devices = options.tracedDevices {
            _ = try TracedDevices(devices, of: scenario.document.deviceCount)
        }
    }
}
