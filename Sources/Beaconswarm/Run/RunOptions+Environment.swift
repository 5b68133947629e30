import Scenario

/// The environment variables that stand for options: each is the option's name in capitals after
/// `BEACONSWARM_`. An option on the command line wins; an empty variable counts as unset.
enum EnvironmentVariables {
    static let prefix = "BEACONSWARM_"
    /// Those that change the scenario; the loader reads them.
    static let ofScenario = ["SEED", "DEVICES", "DURATION", "TARGET", "SET"]
    static let ofRun = ["OUT", "EVENTS", "RECEIPTS", "STORE", "KEEP_STORES", "THREADS"]
    /// What the project's own build and tests are told this way.
    static let ofDevelopment = ["WARNINGS", "BIN"]

    /// A sentence for each variable that looks like one of ours and is none.
    static func warnings(_ environment: [String: String]) -> [String] {
        let known = (ofScenario + ofRun).map { prefix + $0 }
        let silent = ofDevelopment.map { prefix + $0 }
        let unknown = environment.keys.filter {
            $0.hasPrefix(prefix) && !known.contains($0) && !silent.contains($0)
        }
        return unknown.sorted().map {
            "the environment variable \($0) means nothing; known are \(known.joined(separator: ", "))"
        }
    }
}

extension RunOptions {
    /// The options with what the environment says where they are silent.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a value that the option would not take either.
    func completed(by environment: [String: String]) throws(CommandFailure) -> RunOptions {
        func value(_ name: String) -> String? {
            environment[EnvironmentVariables.prefix + name].flatMap { $0.isEmpty ? nil : $0 }
        }
        var result = self
        result.out = out ?? value("OUT")
        result.events = events ?? value("EVENTS")
        result.receipts = receipts ?? value("RECEIPTS")
        result.store = store ?? value("STORE")
        result.keepStores = keepStores ?? value("KEEP_STORES")
        if let threads, threads < 1 {
            throw CommandFailure(.usage, "--threads \(threads): allowed is a whole number from 1")
        }
        if threads == nil, let text = value("THREADS") {
            guard let number = Int(text), number > 0 else {
                throw CommandFailure(
                    .usage, "BEACONSWARM_THREADS: found \"\(text)\", allowed is a whole number from 1")
            }
            result.threads = number
        }
        return result
    }
}
