import AppModel
package import DeviceSDK
package import Timebase

/// Plays the users of a population again.
package struct PopulationLives {
    let plan: PopulationPlan
    private let models: UserModels
    private let calendar: UserCalendar
    private let end: Instant

    /// - Parameter end: From which on nothing happens.
    package init(_ plan: PopulationPlan, until end: Instant) {
        self.plan = plan
        calendar = plan.calendar
        models = UserModels(app: plan.app, persona: plan.persona, calendar: calendar)
        self.end = min(end, plan.usersEnd)
    }

    /// When a device arrives; `nil` for never.
    func arrival(of index: Int) -> Instant? {
        guard let arrival = calendar.presence(of: index)?.lowerBound, arrival < end else { return nil }
        return max(arrival, plan.start)
    }

    /// When the app was installed on a device for the first time; `nil` where nothing tells.
    func installation(of index: Int) -> Instant? {
        guard let arrival = arrival(of: index),
            let installed = models.installation(of: index, arrivingAt: arrival)
        else { return nil }
        // Events from before the run need an app that was there.
        return installed < plan.start || plan.system.prefill == 0 ? installed : nil
    }

    /// The name of a device's time zone; `nil` where only its offset is known.
    func zoneName(of index: Int) -> String? { calendar.zoneName(of: index) }

    package func life(of index: Int) -> DeviceLife {
        var life = DeviceLife()
        var coldStart: Instant?
        forEachAction(of: index) { life.note($0, &coldStart) }
        life.end(coldStart)
        return life
    }

    /// Gives all that a device's user does to `body`.
    func forEachAction(of index: Int, _ body: (PlannedAction) -> Void) {
        guard arrival(of: index) != nil else { return }
        let streams = plan.streams
        let model = models.model(of: index)
        var user = UserSimulator(
            model: model, streams: { streams.stream($0, index: index) }, index: index,
            presence: calendar.presence(of: index), usersEnd: plan.usersEnd)
        while user.nextAt < end {
            let planned = user.next(model)
            body(planned)
        }
    }

    /// The name of the persona whose ways a device's user has.
    func persona(of index: Int) -> String { models.model(of: index).persona.name }
}
