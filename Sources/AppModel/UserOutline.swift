package import Timebase

/// How often and how long the users of some devices have the app open: played without what they do there, which
/// costs little, so that all devices of most populations can be asked.
///
/// What a population offers hangs on few users and few sessions. Of the sessions of the persona `casual` one in a
/// hundred makes 44 % of the load, so that a sample of the devices, however well it is played, is off by tens of per
/// cent. How many sessions the *run's* own users have, and how long they are, can be known.
package struct UserOutline: Hashable, Sendable {
    /// Devices that were looked at, of how many.
    package private(set) var devices = 0
    package private(set) var deviceCount = 0
    /// Times at which the app came to the foreground, and the seconds in which it was there, of all devices that
    /// were looked at.
    package private(set) var sessions = 0.0
    package private(set) var seconds = 0.0
    /// Of the devices' own numbers: sums of squares and of products.
    private var squaredSessions = 0.0
    private var squaredSeconds = 0.0
    private var products = 0.0

    /// Devices that are looked at, at most: then they are evenly spread over all.
    private static let mostDevices = 1 << 18
    /// Devices that are looked at even where that takes more than the budget.
    private static let leastDevices = 100
    /// One device may take the budget divided by this.
    private static let deviceShare = 10

    /// Looks at a population's devices, evenly spread over it, until the budget is used up.
    ///
    /// - Parameters:
    ///   - members: Those that are meant, by their indices; `nil` for all.
    ///   - budget: Steps of users: some ten a session. A device that would take more than a tenth is looked at so long,
    ///     and counts as if it went on like that.
    package init(of population: UserForecast.Population, among members: [Int]? = nil, budget: Int) {
        let model = population.outline
        deviceCount = members?.count ?? population.deviceCount
        var steps = 0
        let pool = min(deviceCount, UserOutline.mostDevices)
        for rank in UserForecast.spreadOrder(pool) where steps < budget || devices < UserOutline.leastDevices
        {
            let number = rank * deviceCount / pool
            steps += add(
                members?[number] ?? number, of: population, model, until: population.usersEnd,
                limit: budget / UserOutline.deviceShare)
        }
    }

    /// Looks at some devices.
    ///
    /// - Parameter until: From which on nothing counts.
    package init(of population: UserForecast.Population, indices: [Int], until: Instant) {
        let model = population.outline
        deviceCount = indices.count
        for index in indices { _ = add(index, of: population, model, until: min(until, population.usersEnd)) }
    }

    /// Adds a device.
    ///
    /// - Parameter limit: Steps after which it is broken off.
    /// - Returns: the steps that it took.
    private mutating func add(
        _ index: Int, of population: UserForecast.Population, _ model: UserModels, until: Instant,
        limit: Int = .max
    ) -> Int {
        var (steps, own, time) = (1, 0.0, Interval.zero)
        var opened: Instant?
        var end = until
        population.play(index, model, until: until) { planned in
            steps += 1
            switch planned.action {
            case .enterForeground:
                own += 1
                opened = planned.at
            case .enterBackground, .crash, .kill:
                if let since = opened { time = time + (planned.at - since) }
                opened = nil
            default: break
            }
            guard steps >= limit else { return true }
            end = planned.at
            return false
        }
        if let since = opened { time = time + (end - since) }
        let rest = end < until ? population.calendar.stretch(of: index, from: end, to: until) : 1
        own *= rest
        let seconds = max(0, time.fractionalSeconds) * rest
        devices += 1
        sessions += own
        self.seconds += seconds
        squaredSessions += own * own
        squaredSeconds += seconds * seconds
        products += own * seconds
        return steps
    }

    /// The same users, if their time passed more slowly.
    ///
    /// - Parameter factor: By how much longer all takes.
    package func stretched(by factor: Double) -> UserOutline {
        var slow = self
        slow.seconds *= factor
        slow.squaredSeconds *= factor * factor
        slow.products *= factor
        return slow
    }

    /// What the whole population does, if a session means so much of it, and a second in the app so much, with the
    /// standard error that comes of the devices that were not looked at.
    package func total(perSession: Double, perSecond: Double) -> (value: Double, error: Double) {
        guard devices > 0 else { return (0, 0) }
        let count = Double(devices)
        let mean = (perSession * sessions + perSecond * seconds) / count
        let squares =
            perSession * perSession * squaredSessions + perSecond * perSecond * squaredSeconds
            + 2 * perSession * perSecond * products
        let variance = max(0, squares / count - mean * mean)
        let unseen = Double(deviceCount - devices) / Double(deviceCount)
        let error = Double(deviceCount) * (variance / count * max(0, unseen)).squareRoot()
        return (mean * Double(deviceCount), error)
    }
}

extension UserCalendar {
    /// How many times as long a device is there by a later instant as by an earlier one.
    fileprivate func stretch(of index: Int, from early: Instant, to late: Instant) -> Double {
        guard let presence = presence(of: index) else { return 1 }
        let looked = (early - presence.lowerBound).fractionalSeconds
        let whole = (min(late, presence.upperBound) - presence.lowerBound).fractionalSeconds
        return looked > 0 ? max(1, whole / looked) : 1
    }
}
