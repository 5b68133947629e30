import Accounting
import DeviceSDK
import Generation
import Measurement
import Scenario
import Timebase
import VirtualEngine

/// Finds the instant at which so many events were captured: plays the scenario, without making rows, until then.
enum CaptureCount {
    /// - Parameter sizes: Of the scenario's uploads, measured.
    /// - Returns: `nil` where the scenario has fewer.
    static func instant(
        ofCapture number: Int, in document: ScenarioDocument, sizes: UploadSizes, tagsEvents: Bool,
        _ stores: RunStores
    ) -> Instant? {
        let plans = DatasetPlans(document, sizes: sizes.fitted, tagsEvents: tagsEvents, threads: 1, cut: nil)
        let fleets = plans.populations.map { stores.fleetFactoryInMemory($0, .whole) }
        var observer = Observer(wanted: UInt64(number)) { fleets.reduce(0) { $0 + $1.capturedCount } }
        var configuration = plans.configuration
        configuration.sizes = sizes.byReference
        _ = runVirtually(configuration, fleets: fleets, observer: &observer)
        guard observer.times.count >= number else { return nil }
        observer.times.sort()
        return Instant(nanoseconds: observer.times[number - 1])
    }

    private struct Observer: VirtualObserver {
        let wanted: UInt64
        let captured: () -> UInt64
        var times: [Int64] = []

        init(wanted: UInt64, captured: @escaping () -> UInt64) {
            self.wanted = wanted
            self.captured = captured
        }

        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {
            for event in events { times.append(event.capturedAt.nanoseconds) }
        }

        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { captured() < wanted }

        mutating func poll(_ recorder: RunRecorder, at now: Instant, wakes: UInt64) -> VirtualWish {
            captured() >= wanted ? .end : .goOn
        }
    }
}
