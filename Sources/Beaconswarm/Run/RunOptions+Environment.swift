import Scenario

/// The environment variables that stand for options: each is the option's name in capitals after
/// `BEACONSWARM_`. An option on the command line wins. An empty variable counts as unset, but for those that
/// name files or say where and how much a run sends: there it is an error, as an empty option is.
enum EnvironmentVariables {
    static let prefix = "BEACONSWARM_"
    /// Those that change the scenario; the loader reads them.
    static let ofScenario = ["SEED", "DEVICES", "DURATION", "TARGET", "VARIANT", "SET"]
    static let ofRun = [
        "OUT", "EVENTS", "RECEIPTS", "STORE", "KEEP_STORES", "MAX_RATE", "TARGETS", "THREADS", "SEEDS",
        "BODIES", "UI", "UI_TOKEN", "OTLP", "SCRAPE", "SCRAPE_ONLY",
    ]
    /// Those of them that say what a simulation plays.
    private static let ofLab = ["SEEDS", "BODIES"]
    /// What the project's own build and tests are told this way.
    static let ofDevelopment = ["WARNINGS", "BIN", "BUILD_COMMIT", "BUILD_DATE"]
    /// Those that say which commit a run tests: ours, then those of common CI systems. The first that is set counts.
    static let ofCommit = [prefix + "COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"]

    /// The commit that a run tests, as the environment says; `nil` where it says nothing.
    static func testedCommit(in environment: [String: String]) -> String? {
        ofCommit.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    /// The machine's environment without them: for scenarios that are played again as they were.
    static var none: [String: String] { Host.environment.filter { !$0.key.hasPrefix(prefix) } }

    /// The option of a variable, such as `--max-rate`.
    private static func option(_ variable: String) -> String {
        "--" + variable.lowercased().replacing("_", with: "-")
    }

    /// Words of a command line without the values that are written behind `=`.
    private static func optionsGiven(_ words: [String]) -> Set<Substring> {
        Set(words.map { $0.prefix { $0 != "=" } })
    }

    /// A message whose lines begin with the variable instead of the option where the value was the variable's.
    ///
    /// - Parameter arguments: Those of the command line, where an option wins.
    static func naming(
        _ message: String, arguments: [String], environment: [String: String] = Host.environment
    ) -> String {
        let given = optionsGiven(arguments)
        var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for variable in ofScenario + ofRun where !(environment[prefix + variable] ?? "").isEmpty {
            let option = option(variable)
            guard !given.contains(option[...]) else { continue }
            for (index, line) in lines.enumerated() where line.hasPrefix(option) {
                let rest = line.dropFirst(option.count)
                guard rest.first.map({ $0 == ":" || $0 == " " }) ?? true else { continue }
                lines[index] = prefix + variable + rest
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A command with the variables that change what is played as options: who repeats it may have none of them.
    static func spelledOut(
        _ command: [String], environment: [String: String] = Host.environment
    ) -> [String] {
        let given = optionsGiven(command)
        var words = command
        let verb = command.dropFirst().first
        // A dataset has no target.
        let others = verb == "generate" ? ["SET", "TARGET"] : ["SET"]
        let variables = ofScenario.filter { !others.contains($0) } + (verb == "simulate" ? ofLab : [])
        var sets = ScenarioOptions(environment: environment).sets
        for variable in variables where !given.contains(option(variable)[...]) {
            guard let value = environment[prefix + variable], !value.isEmpty else { continue }
            switch variable {
            // Options win over the command's own --set, which won over the variables.
            case "SEED", "DURATION": sets.append("\(variable.lowercased())=\(value)")
            case "TARGET" where setsTarget(command): continue
            default: words += [option(variable), value]
            }
        }
        // Before those of the command, which win.
        let first = words.firstIndex { $0 == "--set" || $0.hasPrefix("--set=") }
        words.insert(contentsOf: sets.flatMap { ["--set", $0] }, at: first ?? words.endIndex)
        return words
    }

    /// Whether a command changes the target by `--set`.
    private static func setsTarget(_ command: [String]) -> Bool {
        command.contains { word in
            let path = word.hasPrefix("--set=") ? word.dropFirst(6) : word[...]
            return path.hasPrefix("target.") || path.hasPrefix("/target/")
        }
    }

    /// A sentence for each variable that looks like one of ours and is none, to be told of the environment.
    static func warnings(_ environment: [String: String]) -> [String] {
        let known = (ofScenario + ofRun).map { prefix + $0 } + ofCommit.prefix(1)
        let silent = ofDevelopment.map { prefix + $0 }
        let unknown = environment.keys.filter {
            $0.hasPrefix(prefix) && !known.contains($0) && !silent.contains($0)
        }
        return unknown.sorted().map {
            "\($0) means nothing; known are \(known.joined(separator: ", "))"
        }
    }
}

extension RunOptions {
    /// The options with what the environment says where they are silent.
    ///
    /// - Parameter world: Where they are to be played: what the environment says for the other one has no effect.
    /// - Throws: ``CommandFailure`` with code 64 for a value that the option would not take either.
    func completed(
        by environment: [String: String], for world: PlayedWorld
    ) throws(CommandFailure) -> RunOptions {
        try checkFileNames()
        var result = self
        result.command = EnvironmentVariables.spelledOut(command, environment: environment)
        result.out = try RunOptions.name("OUT", or: out, in: environment)
        result.events = try RunOptions.name("EVENTS", or: events, in: environment)
        result.keepStores = try RunOptions.name("KEEP_STORES", or: keepStores, in: environment)
        if let variant = environment[EnvironmentVariables.prefix + "VARIANT"], !variant.isEmpty {
            result.source.variant = source.variant ?? variant
        }
        switch world {
        case .live: try result.completeLive(by: environment)
        case .virtual: try result.completeSimulated(by: environment)
        }
        result.completeWatching(by: environment)
        if let threads, threads < 1 {
            throw CommandFailure(.usage, "--threads \(threads): allowed is a whole number from 1")
        }
        result.threads = try RunOptions.threads(or: threads, in: environment)
        return result
    }

    /// A number of threads, or else what the variable says.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a variable that holds no number from 1.
    static func threads(
        or given: Int?, in environment: [String: String]
    ) throws(CommandFailure) -> Int? {
        guard given == nil, let text = value("THREADS", in: environment) else { return given }
        guard let number = Int(text), number > 0 else {
            throw CommandFailure(
                .usage, "BEACONSWARM_THREADS: found \"\(text)\", allowed is a whole number from 1")
        }
        return number
    }

    /// The name of a file, or else what a variable holds.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a variable that names no file.
    static func name(
        _ option: String, or given: String?, in environment: [String: String]
    ) throws(CommandFailure) -> String? {
        if let given { return given }
        let variable = EnvironmentVariables.prefix + option
        try FileName.check(environment[variable], of: "the environment variable \(variable)")
        return environment[variable]
    }

    private static func value(_ option: String, in environment: [String: String]) -> String? {
        environment[EnvironmentVariables.prefix + option].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What only live runs have.
    private mutating func completeLive(by environment: [String: String]) throws(CommandFailure) {
        if let file = try RunOptions.name("RECEIPTS", or: receipts.first, in: environment), receipts.isEmpty {
            receipts = [file]
        }
        store = try RunOptions.name("STORE", or: store, in: environment)
        targetsFile = try RunOptions.name("TARGETS", or: targetsFile, in: environment)
        maximumRate = try RateLimit.read(
            maximumRate, else: environment[EnvironmentVariables.prefix + "MAX_RATE"])
        scrape = scrape ?? RunOptions.value("SCRAPE", in: environment)
        scrapeOnly = scrapeOnly ?? RunOptions.value("SCRAPE_ONLY", in: environment)
    }

    /// What only simulations have.
    private mutating func completeSimulated(by environment: [String: String]) throws(CommandFailure) {
        seeds = seeds ?? RunOptions.value("SEEDS", in: environment)
        if bodies == nil { bodies = try RunOptions.bodies(in: environment) }
    }

    /// Who watches, where the options are silent.
    mutating func completeWatching(by environment: [String: String]) {
        ui = ui ?? RunOptions.value("UI", in: environment)
        otlp = otlp ?? RunOptions.value("OTLP", in: environment)
    }

    private static func bodies(in environment: [String: String]) throws(CommandFailure) -> Bodies? {
        guard let text = environment[EnvironmentVariables.prefix + "BODIES"], !text.isEmpty else {
            return nil
        }
        guard let bodies = Bodies(rawValue: text) else {
            let allowed = Bodies.allCases.map(\.rawValue).joined(separator: " or ")
            throw CommandFailure(.usage, "BEACONSWARM_BODIES: found \"\(text)\", allowed is \(allowed)")
        }
        return bodies
    }
}
