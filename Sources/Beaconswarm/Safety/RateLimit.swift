/// The rate that a live run may have (`--max-rate`).
enum RateLimit {
    /// What a share of the devices does not tell.
    private static let smallFleets =
        ", or somewhat fewer: the fewer they are, the higher the busiest second of each"

    /// Refuses a scenario that would pass the limit by itself, before anything is sent.
    ///
    /// - Throws: ``CommandFailure`` with code 64 that says how many devices would keep to it.
    static func check(
        _ forecast: Forecast, populations: Int = 1, maximumRate: Double?
    ) throws(CommandFailure) {
        guard let maximumRate, forecast.requestsPeak > maximumRate else { return }
        let fitting = Int(Double(forecast.devices) * maximumRate / forecast.requestsPeak)
        let advice =
            fitting >= max(1, populations)
            ? "about \(fitting.of("device")) would keep to it (--devices \(fitting))\(fitting > 1 ? RateLimit.smallFleets : "")"
            : populations > 1
                ? "one device of each population would be too many" : "not even one device would keep to it"
        throw CommandFailure(
            .usage,
            "--max-rate \(SafetyWatch.figure(maximumRate)): the scenario is forecast to send up to "
                + "\(SafetyWatch.figure(forecast.requestsPeak)) requests in a second; \(advice); nothing was run"
        )
    }

    /// The limit as the option gives it, or else the environment.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for what is no rate.
    static func read(_ option: Double?, else variable: String?) throws(CommandFailure) -> Double? {
        let (name, text) =
            option.map { ("--max-rate", $0.asGiven) } ?? ("BEACONSWARM_MAX_RATE", variable ?? "")
        guard option != nil || variable != nil else { return nil }
        // An empty variable is a limit that somebody meant to set, and no word that there is none.
        guard let rate = Double(text), rate >= 1, rate <= 1e9 else {
            let found = text.isEmpty ? "an empty value" : text
            throw CommandFailure(
                .usage,
                "\(name): found \(found), allowed is a number of requests in a second from 1 to 1,000,000,000"
            )
        }
        return rate
    }
}

extension CapacitySearch.Settings {
    /// Leaves out loads that would pass the limit by themselves.
    ///
    /// Requests come by chance, so that of a mean of R the busiest second of many has R + 4·√R or so.
    ///
    /// - Throws: ``CommandFailure`` with code 64 where that leaves none.
    mutating func keep(to maximumRate: Double?, requestsPerLoad: Double) throws(CommandFailure) {
        guard let maximumRate, requestsPerLoad > 0 else { return }
        let root = (maximumRate + 4).squareRoot() - 2
        let limit = multiple((root * root / requestsPerLoad / quantum).rounded(.down))
        guard limit >= floor else {
            throw CommandFailure(
                .usage,
                "--max-rate \(SafetyWatch.figure(maximumRate)): even the smallest load of this scenario, "
                    + "\(Forecast.figure(floor * requestsPerLoad)) requests in a second on average, may send more in its "
                    + "busiest second; nothing was run")
        }
        maximum = min(maximum, limit)
        from = min(from, maximum)
    }
}
