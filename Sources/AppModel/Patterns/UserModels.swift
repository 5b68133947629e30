import Timebase

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
    /// - Precondition: as ``UserModel/init(app:persona:calendar:isOutline:)``, of the bots' personas too.
    package init(
        app: AppDescription, persona: PersonaDescription, calendar: UserCalendar, isOutline: Bool = false
    ) {
        self.calendar = calendar
        usual = UserModel(app: app, persona: persona, calendar: calendar, isOutline: isOutline)
        bots = calendar.patterns.bots.map { group in
            var own = calendar
            own.week = group.persona.hours.flatMap { $0.isFlat ? nil : $0 }
            own.retention = group.persona.retention
            own.installedOver = group.persona.installedOver.fractionalSeconds
            let isEmpty = isOutline && !group.persona.endsAtExit
            return UserModel(app: app, persona: group.persona, calendar: own, isOutline: isEmpty)
        }
    }

    /// The kind of user of a device.
    ///
    /// - Complexity: O(groups of bots).
    package func model(of index: Int) -> UserModel {
        bots.isEmpty ? usual : calendar.bots(of: index).map { bots[$0] } ?? usual
    }
}
