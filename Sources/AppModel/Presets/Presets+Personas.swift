import Timebase

extension Presets {
    /// The mean user of an installed app: 13.7 launches a month (Localytics, first half of 2018,
    /// 37,000 apps), sessions of 26 s in the middle and 4 min 33 s on average.
    package static let casual = PersonaDescription(name: "casual")

    /// A heavy user: ten launches a day, longer sessions, mostly with an account.
    package static let power: PersonaDescription = {
        var persona = PersonaDescription(name: "power")
        persona.sessionsPerDay = 10
        persona.sessionsPerDaySigma = 0.6
        persona.sessionLength = .lognormal(median: 90, sigma: 1.5)
        persona.tapChance = 0.6
        persona.loggedInShare = 0.85
        persona.logoutChance = 0.005
        persona.updateChance = 0.01
        persona.passiveLaunchChance = 0.03
        return persona
    }()

    /// Short looks at the screen: 40 % of the sessions below 15 s and less than a minute on average
    /// (Ferreira et al., MobileHCI 2014; Böhmer et al., MobileHCI 2011).
    package static let micro: PersonaDescription = {
        var persona = PersonaDescription(name: "micro")
        persona.sessionsPerDay = 4
        persona.sessionLength = .lognormal(median: 21.5, sigma: 1.42)
        persona.actionGap = .lognormal(median: 2.5, sigma: 0.9)
        persona.tapChance = 0.5
        return persona
    }()

    /// Not a person but a load: one business event per second and device, at exponential gaps.
    package static let steady: PersonaDescription = {
        var persona = PersonaDescription(name: "steady")
        persona.steadyRate = 1
        persona.actionGap = .exponential(mean: 1)
        return persona
    }()
}
