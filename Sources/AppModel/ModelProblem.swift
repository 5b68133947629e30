import Timebase

/// Something wrong in a description, for whoever reads it from a file.
package struct ModelProblem: Hashable, Sendable, CustomStringConvertible {
    /// A JSON pointer in terms of the descriptions' own property names, such as
    /// `/screens/3/transitions/0/screen`.
    package var path: String
    /// What was found and what is allowed.
    package var message: String
    /// The two alone, where they are told apart.
    package var parts: Parts?

    /// What was found, and what is allowed.
    package struct Parts: Hashable, Sendable {
        package var found: String
        package var allowed: String
    }

    package init(path: String, message: String) {
        self.path = path
        self.message = message
    }

    package var description: String { "\(path): \(message)" }
}

/// Collects problems.
struct ProblemList {
    private(set) var problems: [ModelProblem] = []

    mutating func require(_ condition: Bool, _ path: String, _ message: @autoclosure () -> String) {
        if !condition { problems.append(ModelProblem(path: path, message: message())) }
    }

    /// Tells what was found apart from what is allowed.
    mutating func require(
        _ condition: Bool, _ path: String, found: @autoclosure () -> String, allowed: String
    ) {
        guard !condition else { return }
        let parts = ModelProblem.Parts(found: found(), allowed: allowed)
        var problem = ModelProblem(path: path, message: "\(parts.found); allowed: \(allowed)")
        problem.parts = parts
        problems.append(problem)
    }

    mutating func probability(_ value: Double, _ path: String) {
        require((0...1).contains(value), path, "probability \(value) is not between 0 and 1")
    }

    /// An index into a table.
    mutating func index(_ value: UInt16, below count: Int, of what: String, _ path: String) {
        require(Int(value) < count, path, "there is no \(what) \(value) (there are \(count))")
    }

    /// A distribution of seconds or of values, of which none may be out of its own range.
    mutating func distribution(_ value: Distribution, _ path: String, negative: Bool = false) {
        switch value {
        case .constant(let constant):
            require(constant.isFinite && (negative || constant >= 0), path, "\(constant) is out of range")
        case .uniform(let low, let high):
            require(
                low.isFinite && high.isFinite && low <= high && (negative || low >= 0), path,
                "bounds \(low) and \(high) are out of order or range")
        case .exponential(let mean):
            require(mean.isFinite && mean >= 0, path, "mean \(mean) is out of range")
        case .lognormal(let median, let sigma):
            require(median.isFinite && median > 0, path, "median \(median) is not positive")
            require((0...10).contains(sigma), path, "sigma \(sigma) is not between 0 and 10")
        case .pareto(let minimum, let alpha, let maximum):
            require(minimum.isFinite && minimum > 0, path, "minimum \(minimum) is not positive")
            require(alpha.isFinite && alpha > 0, path, "alpha \(alpha) is not positive")
            require(maximum.isFinite && maximum >= minimum, path, "maximum \(maximum) is below the minimum")
        }
    }
}

extension PersonaDescription {
    /// The numbers that make no sense; empty for a sound persona.
    package func problems() -> [ModelProblem] {
        var list = ProblemList()
        list.require(!name.isEmpty, "/name", "is empty")
        if let steadyRate {
            list.require(
                steadyRate.isFinite && steadyRate > 0, "/steadyRate", "\(steadyRate) is not positive")
            list.require(actionGap.mean > 0, "/actionGap", "a steady rate needs gaps longer than 0")
        }
        list.require(
            sessionsPerDay.isFinite && sessionsPerDay >= 0, "/sessionsPerDay", "\(sessionsPerDay) is negative"
        )
        list.require(
            (0...5).contains(sessionsPerDaySigma), "/sessionsPerDaySigma",
            "\(sessionsPerDaySigma) is not between 0 and 5")
        list.distribution(sessionLength, "/sessionLength")
        list.distribution(returnGap, "/returnGap")
        list.distribution(actionGap, "/actionGap")
        for (value, path) in [
            (returnChance, "/returnChance"), (tapChance, "/tapChance"), (loggedInShare, "/loggedInShare"),
            (signUpChance, "/signUpChance"), (loginChance, "/loginChance"), (logoutChance, "/logoutChance"),
            (crashChance, "/crashChance"), (killAtBackgroundChance, "/killAtBackgroundChance"),
            (passiveLaunchChance, "/passiveLaunchChance"), (updateChance, "/updateChance"),
        ] {
            list.probability(value, path)
        }
        list.require(
            signUpChance + loginChance <= 1, "/loginChance", "is more than 1 together with signUpChance")
        list.require(meanTimeToKill > .zero, "/meanTimeToKill", "is not positive")
        list.require((1e-6...1e6).contains(tempo), "/tempo", "\(tempo) is not between 0.000001 and 1000000")
        return list.problems
    }
}
