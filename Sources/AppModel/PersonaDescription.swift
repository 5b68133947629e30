package import Timebase

/// How a kind of user behaves. Sources of the presets' numbers: see the Models article.
package struct PersonaDescription: Hashable, Sendable {
    package var name: String
    /// One session for the whole run at a set rate, instead of everything below but the gap.
    package var steadyRate: Double?
    /// Launches per day and device, mean over the population.
    package var sessionsPerDay = 0.45
    /// σ of the lognormal by which devices differ in ``sessionsPerDay``.
    package var sessionsPerDaySigma = 1.15
    /// Whether each device opens the app at its arrival, instead of at a time drawn from its rate; `nil` for yes,
    /// unless its run finds it in the midst of its life.
    package var opensAtArrival: Bool?
    /// How active users are over the hours of a week of their local time; `nil` for a run's own way: that of
    /// ``Presets/mobileHours`` where it finds its users in the midst of their lives, else evenly.
    package var hours: WeekCurve?
    /// Seconds.
    package var sessionLength = Distribution.lognormal(median: 26, sigma: 2.17)
    /// Whether a session also ends where the app's chain of screens does. If not, the user goes on
    /// from the start screen until the session's length is over.
    package var endsAtExit = false
    /// Probability that the user comes back soon, and after how many seconds.
    package var returnChance = 0.35
    package var returnGap = Distribution.pareto(minimum: 60, alpha: 1.1, maximum: 14_400)
    /// Seconds between two actions in a session.
    package var actionGap = Distribution.lognormal(median: 4, sigma: 1.1)
    /// Probability that an action is a tap on the present screen rather than a change of screen.
    package var tapChance = 0.4
    /// Share of users with an account at the start, and chances per session.
    package var loggedInShare = 0.3
    package var signUpChance = 0.05
    package var loginChance = 0.1
    package var logoutChance = 0.02
    /// Probability per session that it ends in a crash.
    package var crashChance = 0.0005
    /// Probability that the process is killed at once on entering the background, and the mean
    /// time after which the system kills one that stayed.
    package var killAtBackgroundChance = 0.05
    package var meanTimeToKill = Interval.hours(6)
    /// Probability that a launch is a passive one, by the system.
    package var passiveLaunchChance = 0.0
    /// Probability that the app was updated before a launch.
    package var updateChance = 0.0
    /// How long people keep the app; `nil` for ever.
    package var retention: Retention?
    /// Who installs it again after that; `nil` for nobody.
    package var reinstall: Reinstallation?
    /// Over how long before the run those installed it whom the run finds in the midst of their lives.
    package var installedOver = Interval.hours(24 * 90)
    /// Speeds everything up: 2 halves every gap.
    package var tempo = 1.0

    package init(name: String) { self.name = name }
}

extension PersonaDescription {
    /// The same people, who do a multiple of what they do. At a steady rate only that is another: their apps start as fast as
    /// ever. For all others the whole of life passes as much faster.
    package mutating func quicken(by factor: Double) {
        if let rate = steadyRate { steadyRate = rate * factor } else { tempo *= factor }
    }

    /// The same people at another tempo than their own, as far as what they do in a time goes; see ``quicken(by:)``.
    package mutating func setTempo(_ tempo: Double) {
        if steadyRate == nil { self.tempo = tempo } else { quicken(by: tempo / self.tempo) }
    }
}
