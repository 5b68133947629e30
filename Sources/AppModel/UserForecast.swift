package import Timebase

/// What load a population's users offer, before anything is run: a sample of its very devices,
/// played without any SDK.
///
/// Deterministic: the sample's devices have the streams that they have in the run. Devices differ
/// most in how often they open the app, so the population is cut into equal parts by that rate, and
/// the device nearest to the mean of each part stands for it.
package struct UserForecast: Hashable, Sendable {
    /// Devices that were played.
    package var sampledDevices: Int
    /// Actions per second of the whole population, over the time from the start to the users' end.
    package var meanRate: Double
    /// The highest rate over one of the run's ``bucketCount`` equal parts.
    package var peakRate: Double
    /// Actions of the whole population.
    package var total: Double

    /// Parts of the run among which the peak is found; none is shorter than a second.
    package static let bucketCount = 60

    /// Who is to be forecast.
    package struct Population {
        package var model: UserModel { models.usual }
        fileprivate let models: UserModels
        package let calendar: UserCalendar
        package let usersEnd: Instant

        package init(
            app: AppDescription, persona: PersonaDescription, calendar: UserCalendar, usersEnd: Instant
        ) {
            models = UserModels(app: app, persona: persona, calendar: calendar)
            outline = models.outline
            self.calendar = calendar
            self.usersEnd = usersEnd
        }

        /// The same users with empty sessions, where sessions can be empty.
        let outline: UserModels

        var deviceCount: Int { calendar.deviceCount }
        var start: Instant { calendar.start }
        var length: Interval { max(usersEnd - start, .zero) }

        /// The same users at another tempo.
        func at(tempo: Double) -> Population {
            var persona = model.persona
            persona.tempo = tempo
            return Population(app: model.app, persona: persona, calendar: calendar, usersEnd: usersEnd)
        }
    }

    /// Plays a sample.
    ///
    /// - Parameters:
    ///   - sample: Devices to play at most.
    ///   - budget: Actions after which no further device is begun.
    ///   - weight: What an action counts, such as the events that a system captures for it.
    package init(
        of population: Population, sample: Int = 400, budget: Int = 2_000_000,
        weight: (UserAction) -> Double = { _ in 1 }
    ) {
        let length = population.length
        let parts = min(UserForecast.bucketCount, max(1, Int(length.fractionalSeconds)))
        var buckets = [Double](repeating: 0, count: parts)
        var actions = 0
        sampledDevices = 0
        let indices = population.sample(sample)
        for rank in UserForecast.spreadOrder(indices.count) where actions < budget {
            sampledDevices += 1
            population.play(indices[rank]) { planned in
                actions += 1
                let share = Double((planned.at - population.start).nanoseconds) / Double(length.nanoseconds)
                buckets[min(parts - 1, max(0, Int(share * Double(parts))))] += weight(planned.action)
                return true
            }
        }
        let scale = Double(population.deviceCount) / Double(max(1, sampledDevices))
        let seconds = max(length.fractionalSeconds, 1e-9)
        total = buckets.reduce(0, +) * scale
        meanRate = total / seconds
        peakRate = (buckets.max() ?? 0) * scale / (seconds / Double(parts))
    }

    /// The numbers below `count` in an order whose every beginning is spread over all of them
    /// (bit reversal), so that a sample cut short is no sample of the early arrivals.
    package static func spreadOrder(_ count: Int) -> [Int] {
        guard count > 1 else { return Array(0..<count) }
        let bits = Int.bitWidth - (count - 1).leadingZeroBitCount
        return (0..<1 << bits).lazy
            .map { number in
                Int(UInt64(number).reversedBits >> UInt64(64 - bits))
            }
            .filter { $0 < count }
    }
}

extension UserForecast.Population {
    /// Gives the actions of one device before an instant to `body`, as a model of the same users plays them, until it
    /// returns `false`.
    func play(_ index: Int, _ models: UserModels, until end: Instant, _ body: (PlannedAction) -> Bool) {
        let model = models.model(of: index)
        var user = UserSimulator(
            model: model, streams: { calendar.streams($0, index) }, index: index,
            presence: calendar.presence(of: index), usersEnd: end)
        while user.nextAt < .distantFuture && body(user.next(model)) {}
    }

    /// Gives the actions of one device to `body` until it returns `false`.
    func play(_ index: Int, _ body: (PlannedAction) -> Bool) { play(index, models, until: usersEnd, body) }

    /// What some devices' actions before an instant weigh together.
    package func weight(of indices: [Int], until end: Instant, _ weight: (UserAction) -> Double) -> Double {
        var sum = 0.0
        for index in indices {
            play(index, models, until: min(end, usersEnd)) { planned in
                sum += weight(planned.action)
                return true
            }
        }
        return sum
    }

    /// The indices of `count` devices (or all, if there are fewer) that stand for the population,
    /// the rarest users first. Of very many devices some, evenly spread, are looked at.
    ///
    /// - Complexity: O(n log n) in the number of devices, up to ``poolLimit``.
    func sample(_ count: Int) -> [Int] {
        guard count < deviceCount else { return Array(0..<deviceCount) }
        let size = min(deviceCount, max(count, Self.poolLimit))
        let pool = (0..<size).map { $0 * deviceCount / size }
        let rates = pool.map { index in
            var traits = calendar.streams(.traits, index)
            return 1 / UserSimulator.meanGap(of: model.persona, &traits)
        }
        let sorted = (0..<size).sorted { (rates[$0], $0) < (rates[$1], $1) }
        return (0..<count).map { part in
            let members = sorted[part * size / count..<(part + 1) * size / count]
            let mean = members.reduce(0) { $0 + rates[$1] } / Double(members.count)
            let nearest = members.min { (abs(rates[$0] - mean), $0) < (abs(rates[$1] - mean), $1) }
            return nearest.map { pool[$0] } ?? 0
        }
    }

    /// Devices whose rates are looked at for a sample, at most.
    private static var poolLimit: Int { 100_000 }

    /// Whether some devices' actions weigh at least `wanted`; stops playing once that is certain.
    func reaches(_ wanted: Double, _ indices: [Int], _ weight: (UserAction) -> Double) -> Bool {
        var sum = 0.0
        for index in indices where sum < wanted {
            play(index) { planned in
                sum += weight(planned.action)
                return sum < wanted
            }
        }
        return sum >= wanted
    }
}

extension UserForecast.Population {
    /// The bots among the devices: how many there are, and what all their actions weigh per second, as some of them let
    /// expect.
    ///
    /// - Complexity: O(devices) where there are any.
    fileprivate func bots(
        sample: Int, budget: Int, _ weight: (UserAction) -> Double
    ) -> (count: Int, rate: Double) {
        guard !models.isUniform, length > .zero else { return (0, 0) }
        let bots = (0..<deviceCount).filter { calendar.groupOfBots($0) != nil }
        let size = min(sample, bots.count)
        var (played, actions, sum) = (0, 0, 0.0)
        for rank in UserForecast.spreadOrder(size) where actions < budget {
            played += 1
            play(bots[rank * bots.count / size]) { planned in
                actions += 1
                sum += weight(planned.action)
                return true
            }
        }
        let each = sum / Double(max(1, played))
        return (bots.count, each * Double(bots.count) / length.fractionalSeconds)
    }
}

extension UserForecast {
    /// The tempos between which one is looked for.
    package static let tempoRange = 1e-3...1e6

    /// The tempo at which the population's users do a wanted number of actions per second.
    ///
    /// For a steady rate it is the quotient of the rates, without what bots do (the few actions of the start are not
    /// counted). For other personas it is found by halving the range of the logarithm: all tempos
    /// play the same lives, so the rate never falls as the tempo rises.
    ///
    /// - Parameters:
    ///   - rate: Mean actions (or their `weight`) per second of the whole population.
    ///   - sample: Devices to play at most.
    ///   - budget: Actions to play per round at most, as long as that leaves 32 devices.
    ///   - rounds: Each halves the error; 16 leave one of 0.03 %, if the sample is the population.
    /// - Returns: the tempo, or `nil` if no tempo in ``tempoRange`` gives the rate: even a single
    ///   session per device is more, or there is not time enough.
    package static func tempo(
        forRate rate: Double, of population: Population, sample: Int = 400, budget: Int = 300_000,
        rounds: Int = 16,
        weight: (UserAction) -> Double = { _ in 1 }
    ) -> Double? {
        guard rate > 0, population.deviceCount > 0 else { return nil }
        if let steady = population.model.persona.steadyRate {
            let perAction = steadyWeight(of: population.model, weight)
            let bots = population.bots(sample: sample, budget: budget, weight)
            let people = population.deviceCount - bots.count
            guard perAction > 0, people > 0 else { return nil }
            // Bots alone do more: people come as near to it as they can.
            guard rate > bots.rate else { return tempoRange.lowerBound }
            return (rate - bots.rate) / (Double(people) * steady * perAction)
        }
        let seconds = population.length.fractionalSeconds
        let perDevice = rate * seconds / Double(population.deviceCount)
        let affordable = Int(min(1e9, Double(budget) / max(perDevice, 1e-3)))
        let indices = population.sample(max(1, min(sample, max(32, affordable))))
        func isEnough(_ tempo: Double) -> Bool {
            population.at(tempo: tempo).reaches(perDevice * Double(indices.count), indices, weight)
        }
        var low = DeterministicMath.log(tempoRange.lowerBound)
        var high = DeterministicMath.log(tempoRange.upperBound)
        guard isEnough(tempoRange.upperBound), !isEnough(tempoRange.lowerBound) else { return nil }
        for _ in 0..<rounds {
            let middle = (low + high) / 2
            if isEnough(DeterministicMath.exp(middle)) { high = middle } else { low = middle }
        }
        return DeterministicMath.exp((low + high) / 2)
    }

    /// The mean weight of a steady user's actions.
    private static func steadyWeight(of model: UserModel, _ weight: (UserAction) -> Double) -> Double {
        guard !model.steadyActions.isEmpty else { return 0 }
        return model.steadyActions.map(weight).reduce(0, +) / Double(model.steadyActions.count)
    }
}

extension UInt64 {
    fileprivate var reversedBits: UInt64 {
        var value = self
        var result: UInt64 = 0
        for _ in 0..<64 {
            result = result << 1 | value & 1
            value >>= 1
        }
        return result
    }
}
