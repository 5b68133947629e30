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

    /// A user who comes back again and again: ten launches a day, each like a casual user's.
    package static let heavy: PersonaDescription = {
        var persona = PersonaDescription(name: "heavy")
        persona.sessionsPerDay = 10
        persona.hours = mobileHours
        return persona
    }()

    /// A user of a tool for work: four launches on an average day, in the hours of the office.
    package static let b2b: PersonaDescription = {
        var persona = PersonaDescription(name: "b2b")
        persona.sessionsPerDay = 4
        persona.loggedInShare = 0.9
        persona.hours = businessHours
        return persona
    }()

    /// A reader of news: 0.87 launches a day (6.06 a week of weekly actives, Localytics 2018), most in the morning.
    package static let reader: PersonaDescription = {
        var persona = PersonaDescription(name: "reader")
        persona.sessionsPerDay = 0.87
        persona.hours = newsHours
        return persona
    }()

    /// A program that plays the user: two minutes every six hours on average, day and night, exactly two seconds
    /// between two actions, and no account. An assumption.
    package static let bot: PersonaDescription = {
        var persona = PersonaDescription(name: "bot")
        persona.sessionsPerDay = 4
        persona.sessionsPerDaySigma = 0
        persona.hours = flatHours
        persona.sessionLength = .constant(120)
        persona.returnChance = 0
        persona.actionGap = .constant(2)
        persona.tapChance = 0.5
        persona.loggedInShare = 0
        persona.signUpChance = 0
        persona.loginChance = 0
        persona.logoutChance = 0
        persona.crashChance = 0
        return persona
    }()

    /// How long an app is kept: 25.3 % after a day, 5.7 % after 30 (means of 31 categories), a power law between and
    /// beyond.
    package static let mobileRetention: Retention = {
        let day = 86_400.0
        guard
            let curve = Retention([
                .init(seconds: day, share: 0.253), .init(seconds: 30 * day, share: 0.057),
            ])
        else { preconditionFailure("the anchors are in order") }
        return curve
    }()

    /// Not a person but a load: one business event per second and device, at exponential gaps.
    package static let steady: PersonaDescription = {
        var persona = PersonaDescription(name: "steady")
        persona.steadyRate = 1
        persona.actionGap = .exponential(mean: 1)
        return persona
    }()
}
