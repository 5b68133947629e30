import Timebase

@testable import AppModel

/// Monday, 2026-01-05T00:00:00Z.
let start = Instant(milliseconds: 1_767_571_200_000)

func day(_ count: Int64) -> Instant { start + .hours(24 * count) }

/// The streams of a device of a run with that seed.
func streams(seed: UInt64, device: Int) -> (RandomStream.Purpose) -> RandomStream {
    {
        RandomStream(
            seed: seed, population: RandomStream.hash(of: "test"), index: UInt64(device), purpose: $0)
    }
}

/// What is decided about the users of a run with that seed.
func calendar(
    seed: UInt64, devices: Int, arrival: ArrivalSchedule = ArrivalSchedule(), activity: ActivityClock? = nil,
    pushes: [PushNotification] = []
) -> UserCalendar {
    UserCalendar(
        start: start, deviceCount: devices, arrival: arrival, activity: activity, pushes: pushes,
        streams: { streams(seed: seed, device: $1)($0) })
}

/// The user of a device; a model's calendar goes before `arrival`.
func user(
    _ model: UserModel, seed: UInt64, device: Int = 0, arrival: Instant = start, end: Instant
) -> UserSimulator {
    UserSimulator(
        model: model, streams: streams(seed: seed, device: device), index: device,
        presence: model.calendar.map { $0.presence(of: device) } ?? arrival..<Instant.distantFuture,
        usersEnd: end)
}

/// The whole life of a device, cut at `limit` actions.
func life(
    _ model: UserModel, seed: UInt64, device: Int = 0, arrival: Instant = start, end: Instant,
    limit: Int = .max
) -> [PlannedAction] {
    var user = user(model, seed: seed, device: device, arrival: arrival, end: end)
    var actions: [PlannedAction] = []
    while user.nextAt < .distantFuture && actions.count < limit { actions.append(user.next(model)) }
    return actions
}

/// An app of one screen whose chain never ends and where nothing can be tapped.
func endlessApp() -> AppDescription {
    var app = AppDescription(name: "endless")
    app.screens = [Screen("Only", "OnlyViewController", "Only", next: [(0, 1)])]
    return app
}

/// A persona that shows every kind of action often.
func busyPersona() -> PersonaDescription {
    var persona = PersonaDescription(name: "busy")
    persona.sessionsPerDay = 30
    persona.signUpChance = 0.3
    persona.loginChance = 0.3
    persona.logoutChance = 0.3
    persona.crashChance = 0.1
    persona.killAtBackgroundChance = 0.2
    persona.meanTimeToKill = .minutes(20)
    persona.passiveLaunchChance = 0.3
    persona.updateChance = 0.05
    return persona
}

extension UserAction {
    var isEnterForeground: Bool { self == .enterForeground }

    var isLaunch: Bool {
        if case .launch = self { true } else { false }
    }
}
