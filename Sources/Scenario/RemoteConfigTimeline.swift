import CollectorModel
import DeclaredSDK
import DeviceSDK
import SDKDescription
import SensorsSDK
import Timebase
import Wire

/// Which configuration the collector serves when.
enum RemoteConfigTimeline {
    /// A configuration that the collector serves, and how it gets around; `nil` for to all at once.
    struct Edition {
        var config: ServedConfig
        var pace: RollOutPace?
    }

    /// The configurations in order of time.
    ///
    /// From before the start there is one of version "0" in which everything has its default: a client
    /// that asks gets an answer. An entry replaces it whole; when an entry with an end is over, the
    /// one that began last among those still going comes back. Every change has a new version: the
    /// entry's own, or the next number that no entry claims.
    ///
    /// - Complexity: O(entries²).
    static func editions(of entries: [TimelineEntry], start: Instant) -> [Edition] {
        let all = entries.compactMap { entry -> (entry: TimelineEntry, config: ScenarioRemoteConfig)? in
            if case .remoteConfig(let config) = entry.change { (entry, config) } else { nil }
        }
        let changes = all.filter { $0.config.answer == nil }
        let claimed = changes.compactMap(\.config.version)
        var counter = 0
        func nextVersion() -> String {
            repeat { counter += 1 } while claimed.contains(String(counter))
            return String(counter)
        }
        // A day before, for clients whose clocks run behind the run's.
        let first = ScenarioRemoteConfig().body(version: "0")
        var result = [Edition(config: ServedConfig(from: start - .hours(24), version: "0", body: first))]
        var times = changes.map(\.entry.at) + changes.compactMap(\.entry.until)
        times.sort()
        var present: Int?
        for (index, time) in times.enumerated() where index == 0 || times[index - 1] < time {
            let active = changes.lastIndex {
                $0.entry.at <= time && ($0.entry.until.map { time < $0 } ?? true)
            }
            guard active != present || active.map({ changes[$0].entry.at == time }) ?? false else { continue }
            present = active
            let config = active.map { changes[$0].config } ?? ScenarioRemoteConfig()
            let begins = active.map { changes[$0].entry.at == time } ?? false
            let version = (begins ? config.version : nil) ?? nextVersion()
            let served = ServedConfig(
                from: start + time, version: version, body: config.body(version: version))
            // What comes back reaches those whom it reached before.
            result.append(
                Edition(config: served, pace: active.flatMap { pace(of: changes[$0], start: start) }))
        }
        return result + answers(all.filter { $0.config.answer != nil }, start: start)
    }

    /// What described SDKs get: of the entries of a path that go on, the one that began last, else what changes nothing.
    private static func answers(
        _ changes: [(entry: TimelineEntry, config: ScenarioRemoteConfig)], start: Instant
    ) -> [Edition] {
        var paths: [String?] = []
        for path in changes.map(\.config.answerPath) where !paths.contains(path) { paths.append(path) }
        return paths.flatMap { path in
            let own = changes.filter { $0.config.answerPath == path }
            let times = Set(own.map(\.entry.at) + own.compactMap(\.entry.until)).sorted()
            return times.flatMap { time in
                let active = own.last { $0.entry.at <= time && ($0.entry.until.map { time < $0 } ?? true) }
                let body = active?.config.answer.map { Array($0.compactText.utf8) } ?? []
                return patterns(of: path).map { pattern in
                    var served = ServedConfig(
                        from: start + time, system: .declared, version: "", body: body)
                    served.pattern = pattern
                    return Edition(config: served, pace: active.flatMap { pace(of: $0, start: start) })
                }
            }
        }
    }
}

extension RemoteConfigTimeline {
    /// What a population's devices may get, by the SDK's configuration; empty where nothing of it is rolled out.
    ///
    /// - Parameter key: Of the target, which may be in the path of a configuration.
    static func served(_ editions: [Edition], to system: any SystemRuleSet, key: String) -> [[ServedEdition]]
    {
        var served: [[Edition]] = []
        switch system {
        case is SensorsRules: served = [editions.filter { $0.config.system == .sensors }]
        case let rules as DeclaredRules:
            let own = editions.filter { $0.config.system == .declared }
            served = rules.sdk.configs.map { config in
                let path = config.path(apiKey: key)
                return own.filter { $0.config.pattern?.fits(path) ?? true }
            }
        default: break
        }
        guard served.joined().contains(where: { $0.pace != nil }) else { return [] }
        let patterns = editions.compactMap(\.config.pattern)
        return served.map { editions in
            guard editions.contains(where: { $0.pace != nil }) else { return [] }
            return editions.map { edition in
                ServedEdition(
                    from: edition.config.from, pace: edition.pace, version: edition.config.version,
                    body: edition.config.body,
                    path: edition.config.pattern.flatMap { patterns.firstIndex(of: $0) })
            }
        }
    }

    private static func pace(
        of change: (entry: TimelineEntry, config: ScenarioRemoteConfig), start: Instant
    ) -> RollOutPace? {
        change.config.spread.map {
            RollOutPace(from: start + change.entry.at, over: $0.over, share: $0.share, number: $0.number)
        }
    }

    /// What fits a path: itself, and without its parts in braces, which are empty for a target without a key. `nil` for
    /// every path.
    private static func patterns(of path: String?) -> [RequestPattern?] {
        guard let path else { return [nil] }
        let bare = path.split(separator: "/").filter { !$0.contains("{") }.joined(separator: "/")
        let (whole, short) = (RequestPattern(.get, path), RequestPattern(.get, bare))
        return whole == short ? [whole] : [whole, short]
    }
}
