import DeviceSDK
import Scenario

/// The one gate that every target of a live run or search goes through, before any name is looked up and any socket
/// opened. Devices send to their population's targets and nowhere else: configurations are fetched from the same
/// host, redirects are not followed, and there are no proxies.
enum TargetGate {
    /// Lets through what cannot reach a stranger, and what its user says is theirs.
    ///
    /// - Throws: ``CommandFailure`` with code 64 that names the others, and says how to let them through.
    static func check(_ document: ScenarioDocument, options: RunOptions) throws(CommandFailure) {
        let targets = document.populations.flatMap(\.targets).map(\.host)
        let endpoint = try options.scrapeEndpoint()
        // What it would be verified by is looked for before anything is made, too.
        _ = try endpoint?.tls()
        let scraped = endpoint.map { [$0.http.host] } ?? []
        let written = listed(hosts: targets + scraped)
        // What was said is checked even where nothing depends on it.
        guard !written.isEmpty || !options.ownedHosts.isEmpty || options.targetsFile != nil else { return }
        let owned = try OwnedHosts(named: options.ownedHosts, file: options.targetsFile)
        let foreign = written.filter { !owned.hosts.contains(TargetHost($0)) }.map(document.redact)
        guard foreign.isEmpty else {
            let prefix = foreign.contains { targets.map(document.redact).contains($0) } ? "" : "--scrape: "
            throw CommandFailure(
                .usage, prefix + refusal(foreign, file: options.targetsFile ?? OwnedHosts.fileName))
        }
    }

    /// The hosts that need their user's word, as they are written, each once.
    static func listed(_ targets: [PopulationPlan.Target]) -> [String] { listed(hosts: targets.map(\.host)) }

    private static func listed(hosts: [String]) -> [String] {
        var known: Set<TargetHost> = []
        return hosts.filter { text in
            let host = TargetHost(text)
            return !host.isHarmless && known.insert(host).inserted
        }
    }

    private static func refusal(_ hosts: [String], file: String) -> String {
        let shown = hosts.prefix(5).joined(separator: ", ")
        let rest = hosts.count > 5 ? " and \(hosts.count - 5) more" : ""
        let (noun, pronoun) = hosts.count == 1 ? ("target", "it is") : ("targets", "they are")
        return
            "the \(noun) \(shown)\(rest): neither loopback nor a private address, and not among the hosts that "
            + "you say are yours to load; nothing was looked up, nothing was run. If \(pronoun) yours, say so with "
            + "--i-own \(hosts[0]), or with a line in \(file)"
            + (file == OwnedHosts.fileName ? " in the working directory (--targets names another file)" : "")
    }
}
