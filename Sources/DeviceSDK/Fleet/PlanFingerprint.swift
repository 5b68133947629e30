import AppModel
import Timebase

/// The sum of a hash of each action, its device and its time since the run's start: the same in every run of one plan,
/// on every machine.
struct PlanFingerprint: Sendable {
    private(set) var sum: UInt64 = 0
    private let population: RandomStream
    private let start: Instant
    /// One device mostly acts several times in a row.
    private var last: (device: UInt64, hash: RandomStream)

    init(population: Int, start: Instant) {
        self.population = RandomStream(key: UInt64(population))
        self.start = start
        last = (0, self.population.child(0))
    }

    @inline(__always)
    mutating func note(_ planned: PlannedAction, of device: UInt64) {
        if device != last.device { last = (device, population.child(device)) }
        let moment = last.hash.child(UInt64(bitPattern: (planned.at - start).nanoseconds))
        sum &+= moment.child(planned.action.code).key
    }
}

extension UserAction {
    /// A number that differs between any two actions that differ in kind or content.
    private var parts: (kind: UInt64, first: UInt64, second: UInt64) {
        switch self {
        case .launch(let passive): (0, passive ? 1 : 0, 0)
        case .enterForeground: (1, 0, 0)
        case .enterBackground: (2, 0, 0)
        case .kill: (3, 0, 0)
        case .crash(let reason): (4, UInt64(reason), 0)
        case .appear(let screen, let referrer): (5, UInt64(screen), referrer.map { UInt64($0) + 1 } ?? 0)
        // Where it leads to is told by the next action.
        case .disappear(let screen, _): (6, UInt64(screen), 0)
        case .tap(let screen, let control): (7, UInt64(screen), UInt64(control))
        case .business(let event, let subject): (8, UInt64(event), UInt64(subject))
        case .beginTimed(let event): (9, UInt64(event), 0)
        case .web(let event, let subject): (10, UInt64(event), UInt64(subject))
        case .login(let account, let signUp): (11, signUp ? 1 : 0, UInt64(account))
        case .logout: (12, 0, 0)
        case .profile(let update, let subject): (13, UInt64(update), UInt64(subject))
        case .item(let update, let subject): (14, UInt64(update), UInt64(subject))
        case .registerSuperProperties(let group): (15, UInt64(group), 0)
        case .updateApp(let version): (16, UInt64(version), 0)
        case .identity(let update): (17, UInt64(update), 0)
        case .uninstall: (18, 0, 0)
        }
    }

    /// Kind in the top 8 bits, the first number (17 bits at most) below, the second in the lower 32.
    var code: UInt64 {
        let (kind, first, second) = parts
        return kind << 56 | first << 32 | second
    }
}
