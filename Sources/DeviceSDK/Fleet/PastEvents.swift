import AppModel
package import Timebase

/// The events that a device captured before the run: half a minute apart, the last one half a minute before
/// the start.
package struct PastEvents {
    private let plan: PopulationPlan
    private let stream: RandomStream
    /// Business events that native code sends.
    private let native: [Int]

    /// - Parameter index: The device's index in its population.
    package init(plan: PopulationPlan, index: Int) {
        self.plan = plan
        stream = plan.stream(.business, index: index)
        native = plan.app.events.indices.filter {
            !plan.app.events[$0].isWeb && plan.app.events[$0].variant == nil
        }
    }

    /// When an event was captured.
    ///
    /// - Parameter age: 1 for the last one before the run.
    package static func time(age: Int64, before start: Instant) -> Instant { start - .seconds(30) * age }

    /// The business event with a sequence and the entity that it speaks of; `nil` if the app has none.
    package func business(sequence: UInt32) -> (event: UInt16, subject: UInt32?)? {
        guard !native.isEmpty else { return nil }
        var draws = stream.child(1 << 33 | UInt64(sequence))
        let event = native[Int(draws.below(UInt64(native.count)))]
        let catalogue = plan.app.events[event].catalogue
        return (
            UInt16(event),
            catalogue.map { UInt32(draws.below(UInt64(max(1, plan.app.catalogues[Int($0)].count)))) }
        )
    }
}
