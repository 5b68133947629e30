package import DeviceSDK
package import Timebase

/// A new version of a population's app that brings other rules of its SDK; times count from the start.
package struct ScenarioRollOut: Sendable {
    package var at: Interval
    /// How long it takes until each device has had its moment.
    package var over: Interval
    /// Share of the devices that ever get it.
    package var share: Double
    /// The index of its entry in the timeline as written.
    package var number: UInt64
    /// All rules of a device that has it, those of the versions before included.
    package var rules: any SystemRuleSet
    package var text: String

    func plan(start: Instant) -> RollOut {
        let pace = RollOutPace(from: start + at, over: over, share: share, number: number)
        return RollOut(pace: pace, rules: rules, text: text)
    }
}

extension ScenarioPopulation {
    /// What holds of every device, whatever rules it follows.
    package func statedBounds(disksFail: Bool) -> StatedBounds {
        let all = [system] + rollOuts.map(\.rules)
        return StatedBounds(all: all.map { $0.statedBounds(disksFail: disksFail) })
    }
}
