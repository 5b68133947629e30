import Timebase

/// Something wrong in a description, for whoever reads it from a file.
package struct ModelProblem: Hashable, Sendable, CustomStringConvertible {
    /// A JSON pointer in terms of the descriptions' own property names, such as
    /// `/screens/3/transitions/0/screen`.
    package var path: String
    package var found: String
    package var allowed: String

    package var description: String { "\(path): found \(found); allowed: \(allowed)" }
}

/// Collects problems.
struct ProblemList {
    private(set) var problems: [ModelProblem] = []

    mutating func require(
        _ condition: Bool, _ path: String, found: @autoclosure () -> String,
        allowed: @autoclosure () -> String
    ) {
        guard !condition else { return }
        problems.append(ModelProblem(path: path, found: found(), allowed: allowed()))
    }

    mutating func probability(_ value: Double, _ path: String) { number(value, 0...1, path) }

    mutating func number(_ value: Double, _ range: ClosedRange<Double>, _ path: String) {
        require(
            range.contains(value), path, found: value.inWords,
            allowed: "a number from \(range.lowerBound.inWords) to \(range.upperBound.inWords)")
    }

    mutating func number(_ value: Int, _ range: ClosedRange<Int>, of what: String = "", _ path: String) {
        let unit = what.isEmpty ? "" : " \(what)"
        require(
            range.contains(value), path, found: "\(value)\(unit)",
            allowed: "\(range.lowerBound) to \(range.upperBound)\(unit)")
    }

    mutating func text(_ value: String, _ path: String) {
        require(!value.isEmpty, path, found: "an empty text", allowed: "a text of one character or more")
    }

    /// An index into a table.
    mutating func index(_ value: UInt16, below count: Int, of what: String, _ path: String) {
        require(
            Int(value) < count, path, found: "\(what) \(value)",
            allowed: count == 0 ? "none: there is no \(what)" : "the number of a \(what), 0 to \(count - 1)")
    }

    /// A distribution of seconds or of values, of which none may be out of its own range.
    mutating func distribution(_ value: Distribution, _ path: String, negative: Bool = false) {
        switch value {
        case .constant(let constant):
            require(
                constant.isFinite && (negative || constant >= 0), path, found: constant.inWords,
                allowed: negative ? "a number" : "a number from 0")
        case .uniform(let low, let high):
            require(
                low.isFinite && high.isFinite && low <= high && (negative || low >= 0), path,
                found: "bounds \(low.inWords) and \(high.inWords)",
                allowed: negative ? "bounds in order" : "bounds in order, from 0")
        case .exponential(let mean):
            require(
                mean.isFinite && mean >= 0, path, found: "mean \(mean.inWords)", allowed: "a mean from 0")
        case .lognormal(let median, let sigma):
            positive(median, "median", path)
            require(
                (0...10).contains(sigma), path, found: "sigma \(sigma.inWords)",
                allowed: "a sigma from 0 to 10")
        case .pareto(let minimum, let alpha, let maximum):
            positive(minimum, "minimum", path)
            positive(alpha, "alpha", path)
            require(
                maximum.isFinite && maximum >= minimum, path, found: "maximum \(maximum.inWords)",
                allowed: "a maximum not below the minimum, \(minimum.inWords)")
        }
    }

    private mutating func positive(_ value: Double, _ name: String, _ path: String) {
        require(
            value.isFinite && value > 0, path, found: "\(name) \(value.inWords)", allowed: "a \(name) above 0"
        )
    }
}

extension PersonaDescription {
    /// The numbers that make no sense; empty for a sound persona.
    package func problems() -> [ModelProblem] {
        var list = ProblemList()
        list.text(name, "/name")
        if let steadyRate {
            list.require(
                steadyRate.isFinite && steadyRate > 0, "/steadyRate", found: steadyRate.inWords,
                allowed: "a rate above 0")
            list.require(
                actionGap.mean > 0, "/actionGap", found: "gaps of no length beside a steady rate",
                allowed: "gaps longer than 0")
        }
        list.require(
            sessionsPerDay.isFinite && sessionsPerDay >= 0, "/sessionsPerDay", found: sessionsPerDay.inWords,
            allowed: "a number from 0")
        list.number(sessionsPerDaySigma, 0...5, "/sessionsPerDaySigma")
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
            signUpChance + loginChance <= 1, "/loginChance",
            found: "\(loginChance.inWords) beside a \"signUpChance\" of \(signUpChance.inWords)",
            allowed: "the two at most 1 together: a session has one of them")
        list.require(
            meanTimeToKill > .zero, "/meanTimeToKill", found: meanTimeToKill.text, allowed: "longer than 0s")
        list.number(tempo, 1e-6...1e6, "/tempo")
        return list.problems
    }
}

extension Double {
    /// Whole numbers without a fraction.
    var inWords: String {
        self == rounded() && abs(self) < 1e15 ? String(Int64(self)) : String(self)
    }
}
