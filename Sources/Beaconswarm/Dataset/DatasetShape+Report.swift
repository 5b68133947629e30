import AppModel
import Datasets
import DeviceSDK
import Generation
import Measurement
import Reporting
import Scenario
import Timebase

extension DatasetShape {
    /// - Parameter sampler: Has looked at some rows of the table `events`.
    func report(
        _ scenario: LoadedScenario, names: [String], rows: Int, captured: Int, sampler: ColumnSampler
    ) -> DatasetReport {
        let fields = plans.populations.flatMap { EventField.mostBits(of: $0, plans.propertyColumns) }
        let asked = Dictionary(fields) { max($0, $1) }
        return DatasetReport(
            name: scenario.reference.name, toolVersion: Beaconswarm.version, seed: scenario.document.seed,
            rows: rows, captured: captured,
            populations: plans.populations.indices.map { population($0, names[$0]) },
            columns: sampler.figures.map { column in
                DatasetReport.Column(
                    name: column.name, values: column.values, distinct: column.distinct,
                    entropy: column.entropy, askedEntropy: asked[column.name], bytes: column.bytes,
                    packedBytes: column.packedBytes)
            }, sampledRows: sampler.rows)
    }

    private func population(_ index: Int, _ name: String) -> DatasetReport.Population {
        let plan = plans.populations[index]
        let found = populations[index]
        let persona = plan.persona
        let days = (plans.usersEnd - plan.start).fractionalSeconds / 86_400
        let devices = plans.part.deviceCount(of: plan.deviceCount) - found.bots
        let deviceDays = max(1e-9, Double(devices) * days)
        let isSteady = persona.steadyRate != nil
        let rates = [
            DatasetReport.Rate(name: "launches", found: Double(found.launches) / deviceDays, asked: nil),
            DatasetReport.Rate(
                name: "sessions", found: Double(found.sessions) / deviceDays,
                asked: isSteady ? nil : persona.sessionsPerDay * persona.tempo),
            DatasetReport.Rate(
                name: "events captured", found: Double(found.events) / deviceDays,
                asked: persona.steadyRate.map { $0 * 86_400 * persona.tempo }),
        ]
        let times = [
            DatasetShape.times(
                "length of a session", found.lengths,
                isSteady || persona.endsAtExit ? nil : persona.sessionLength, tempo: 1),
            DatasetShape.times(
                "from one event of a session to the next, or from action to action", found.gaps,
                isSteady ? nil : persona.actionGap, tempo: persona.tempo),
        ]
        return DatasetReport.Population(
            name: name, persona: persona.name, devices: devices, bots: found.bots, hours: found.hours,
            askedHours: plan.calendar.activity == nil ? DatasetShape.shares(plan.calendar.week) : [],
            rates: rates, times: times)
    }

    private static func times(
        _ name: String, _ found: LatencyHistogram, _ asked: Distribution?, tempo: Double
    ) -> DatasetReport.Times {
        DatasetReport.Times(
            name: name, count: found.count,
            found: DatasetReport.percentiles.map { found.milliseconds(atPercentile: $0) / 1000 },
            asked: asked.map { asked in
                DatasetReport.percentiles.map { asked.ascendingQuantile($0 / 100) / tempo }
            })
    }

    /// Of a mean day of the week, by its hours.
    private static func shares(_ week: WeekCurve?) -> [Double] {
        (0..<24).map { hour in
            guard let week else { return 1.0 / 24 }
            return (0..<7).reduce(0.0) { $0 + week.weight(ofHour: $1 * 24 + hour) } / WeekCurve.activeHours
        }
    }
}

extension Distribution {
    /// The value that a share of all are below; ``quantile(_:)`` counts from above where that is simpler to draw.
    fileprivate func ascendingQuantile(_ share: Double) -> Double {
        switch self {
        case .exponential, .pareto: quantile(1 - share)
        case .constant, .uniform, .lognormal: quantile(share)
        }
    }
}

extension WeekCurve {
    /// The sum of the weights of all hours of a week, whose mean is 1.
    fileprivate static var activeHours: Double { Double(hours) }
}

extension EventField {
    /// The most bits that the values of an app's own properties can tell, by column, where their rules have a list.
    fileprivate static func mostBits(
        of plan: PopulationPlan, _ columns: PropertyColumns
    ) -> [(String, Double)] {
        let app = plan.app
        let rules =
            app.superProperties.flatMap(\.properties) + app.dynamicSuperProperties
            + app.events.flatMap(\.properties)
        var most: [String: Double] = [:]
        var isOpen: Set<String> = []
        for rule in rules {
            switch rule.generator {
            case .constant: most[rule.key] = max(most[rule.key] ?? 0, 0)
            case .choice(let values, _):
                most[rule.key] = max(most[rule.key] ?? 0, ColumnSampler.bits(Double(max(1, values.count))))
            case .zipf(let choice, _):
                most[rule.key] = max(most[rule.key] ?? 0, ColumnSampler.bits(Double(choice.count)))
            case .reading(.isDarkMode), .reading(.isSignedIn):
                most[rule.key] = max(most[rule.key] ?? 0, ColumnSampler.bits(2))
            case .number, .counter, .entity, .entityID, .cycle, .product, .list, .date,
                .reading(.batteryLevel):
                isOpen.insert(rule.key)
            }
        }
        // Rules of one key that differ have more values together.
        let counts = Dictionary(rules.map { ($0.key, Set([$0.generator])) }) { $0.union($1) }
        let listed = most.filter { !isOpen.contains($0.key) && counts[$0.key]?.count == 1 }
        return listed.compactMap { key, bits in columns[key].map { ($0, bits) } }.sorted { $0.0 < $1.0 }
    }
}
