import AppModel
import Timebase

/// Kinds of users.
enum PersonaFormat {
    private typealias Trait = Field<PersonaDescription>
    private static let names = Form<String>.name(amongPresets: Presets.personaNames)

    /// A persona defined in the scenario; what it leaves out is that of the persona it extends.
    static let description: ObjectDescription<PersonaDescription> = ObjectDescription(
        "A kind of user.", start: { PersonaDescription(name: "") },
        [
            Trait(
                "extends", \.unread, names,
                "The persona whose numbers hold where none is given here; through one another at most "
                    + "\(ScenarioBinder.chainLimit) of the scenario's own."),
            Trait("preset", \.unread, names, "The same as \"extends\"."),
            Trait(
                "rate", \.steadyRate, .rate,
                "One session for the whole run, at this rate of events per device."),
            Trait(
                "sessionsPerDay", \.sessionsPerDay, .number(0...100_000),
                "Launches per day and device, mean; fewer where sessions are long beside the gaps."),
            Trait(
                "sessionsPerDaySigma", \.sessionsPerDaySigma, .number(0...5),
                "How much devices differ in that (lognormal)."),
            Trait(
                "opensAtArrival", \.opensAtArrival, .boolean,
                "Whether each device opens the app when it appears."),
            Trait(
                "hours", \.hours, HoursDraft.form,
                "How often users come over the hours of a week of their local time: of a persona with a rate, how "
                    + "much they do. By default \"mobile\" where the run finds its users in the midst of their lives "
                    + "(\"steadyState\"), else \"flat\"."),
            Trait("sessionLength", \.sessionLength, length, "Length of a session."),
            Trait(
                "endsAtExit", \.endsAtExit, .boolean,
                "Whether a session also ends where the app's chain of screens does; if not, the user goes on "
                    + "from the start screen."),
            Trait("returnChance", \.returnChance, .share, "Probability that the user comes back soon."),
            Trait("returnGap", \.returnGap, length, "After how long."),
            Trait("actionGap", \.actionGap, length, "Time between two actions in a session."),
            Trait(
                "tapChance", \.tapChance, .share,
                "Probability that an action is a tap, not a change of screen."),
            Trait("loggedInShare", \.loggedInShare, .share, "Share of users with an account at the start."),
            Trait("signUpChance", \.signUpChance, .share, "Probability per session of signing up."),
            Trait("loginChance", \.loginChance, .share, "Probability per session of logging in."),
            Trait("logoutChance", \.logoutChance, .share, "Probability per session of logging out."),
            Trait("crashChance", \.crashChance, .share, "Probability per session that it ends in a crash."),
            Trait(
                "killAtBackgroundChance", \.killAtBackgroundChance, .share,
                "Probability that the process is killed at once on entering the background."),
            Trait(
                "meanTimeToKill", \.meanTimeToKill, .duration(.milliseconds(1)...Form<Interval>.longest),
                "Mean time after which the system kills a process in the background."),
            Trait(
                "passiveLaunchChance", \.passiveLaunchChance, .share,
                "Probability that a launch is the system's."),
            Trait(
                "updateChance", \.updateChance, .share,
                "Probability that the app was updated before a launch."),
            Trait(
                "retention", \.retention, RetentionFormat.form,
                "The share of people who still have the app after a time; whoever has it no longer deletes it with "
                    + "all that it stored. By default nobody does. The population's \"rate\" and \"tempo\" speed that "
                    + "up as well."),
            Trait(
                "reinstall", \.reinstall, RetentionFormat.reinstallation,
                "Who of those who delete the app install it again, and after how long; they keep it as \"retention\" says of "
                    + "newcomers. By default nobody does."),
            Trait(
                "installedOver", \.installedOver, .duration(.zero...Form<Interval>.longest),
                "Where the run finds its users in the midst of their lives: over how long before they installed the "
                    + "app, evenly; fewer are left of those who came early."),
            Trait("tempo", \.tempo, .number(0.001...10_000), "Speeds everything up: 2 halves every gap."),
        ])

    /// An object of the description, decoded when its base is known.
    static let form = Form<PersonaDescription>.object(description).named("persona")
    private static let named: Form<PersonaDescription> = names.map { name, _, _ in
        PersonaDescription(name: name)
    }
    /// A persona by name or in place.
    static let reference = Form<PersonaDescription>.either(
        [
            (.string, named),
            (.object, form),
        ], allowed: "a persona's name or an object")

    private static let length = DistributionDraft.seconds
}

extension PersonaDescription {
    /// Names of the base are read before the rest.
    fileprivate var unread: String? {
        get { nil }
        set { _ = newValue }
    }
}
