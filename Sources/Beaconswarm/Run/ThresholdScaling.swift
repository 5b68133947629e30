import Measurement
import Reporting
import Scenario

/// Conditions whose bound grows with the fleet, in a run whose fleet is not as large as the scenario's.
///
/// The bound is taken as written: a scenario that asks for 10,000 events means them, and a condition that changes by
/// itself is none. But a run of a tenth of the devices then says little, so it is told.
enum ThresholdScaling {
    static func warnings(_ thresholds: [Threshold], of document: ScenarioDocument) -> [ScenarioWarning] {
        zip(thresholds, document.thresholds).compactMap { threshold, written in
            let population = document.populations.first { $0.name == written.population }
            let devices = population?.devices ?? document.deviceCount
            let own = population?.writtenDevices ?? document.writtenDeviceCount
            guard devices != own, threshold.growsWithDevices else { return nil }
            return ScenarioWarning(
                pointer: written.pointer,
                text:
                    "\(written.metric) \"\(written.expression)\" is written for the scenario's \(own) devices, and "
                    + "judges \(devices) here: the bound stays as it is (another one: --set)")
        }
    }
}

extension Threshold {
    /// Whether twice the devices give about twice the value, so that a bound fits one size of the fleet: counts, levels
    /// and events or bytes per second. A bound of 0 fits all.
    var growsWithDevices: Bool {
        guard bound != 0 else { return false }
        switch aggregation {
        case .count, .value: return true
        case .rate: return MetricCatalogue.entry(metric)?.kind == .counter
        case .average, .minimum, .median, .maximum, .percentile: return false
        }
    }
}

extension ScenarioThreshold {
    /// The population that its tag names.
    fileprivate var population: String? {
        (try? Threshold.parse(metric: metric, expression: expression))?.population
    }
}
