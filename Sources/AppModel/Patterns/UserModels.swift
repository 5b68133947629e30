package import Timebase

/// The kinds of users of a population: its persona's, and the bots among them.
package struct UserModels: Sendable {
    /// The persona's.
    package let usual: UserModel
    private let bots: [UserModel]
    private let calendar: UserCalendar
    /// Whether all devices have the same kind.
    package var isUniform: Bool { bots.isEmpty }

    /// Compiles them.
    ///
    /// - Precondition: as ``UserModel/init(app:persona:calendar:)``, of the bots' personas too.
    package init(
        app: AppDescription, persona: PersonaDescription, calendar: UserCalendar
    ) {
        self.calendar = calendar
        usual = UserModel(app: app, persona: persona, calendar: calendar)
        bots = calendar.patterns.bots.map { group in
            var own = calendar
            own.week = group.persona.hours.flatMap { $0.isFlat ? nil : $0 }
            own.retention = group.persona.retention
            own.reinstall = group.persona.reinstall
            own.installedOver = group.persona.installedOver.fractionalSeconds
            return UserModel(app: app, persona: group.persona, calendar: own)
        }
    }

    /// The same users with empty sessions; where the app has a say in how long those are, whole users.
    var outline: UserModels {
        UserModels(usual: Self.outline(of: usual), bots: bots.map(Self.outline(of:)), calendar: calendar)
    }

    private static func outline(of model: UserModel) -> UserModel {
        model.persona.endsAtExit ? model : UserModel(outlineOf: model)
    }

    private init(usual: UserModel, bots: [UserModel], calendar: UserCalendar) {
        (self.usual, self.bots, self.calendar) = (usual, bots, calendar)
    }

    /// When the user of a device installed the app for the first time: at the arrival, or earlier where the run finds the
    /// user in the midst of life; `nil` where it does and nobody said how long people keep the app.
    package func installation(of index: Int, arrivingAt arrival: Instant) -> Instant? {
        let model = model(of: index)
        return model.calendar?.ageAtArrival(of: index).map { arrival - model.pace.interval($0) }
    }

    /// The kind of user of a device.
    ///
    /// - Complexity: O(groups of bots).
    package func model(of index: Int) -> UserModel {
        bots.isEmpty ? usual : calendar.groupOfBots(index).map { bots[$0] } ?? usual
    }
}
