import AppModel
import Timebase
import Wire

/// Plants patterns in populations.
extension ScenarioBinder {
    /// The beginning of the run, to which times are related until it is known.
    static let epoch = Instant(nanoseconds: 0)

    /// A pattern while it is planted.
    struct Planting {
        var id: PatternID
        var scope: PatternScopeDraft
        var place: Place

        var from: Instant { ScenarioBinder.epoch + scope.at }
        var window: Range<Instant> { from..<(scope.length.map { from + $0 } ?? .distantFuture) }
    }

    /// Plants all patterns.
    ///
    /// - Parameter populations: All of the scenario's.
    mutating func bindPatterns(_ populations: inout [ScenarioPopulation]) -> [ScenarioPattern] {
        checkPatternNames()
        bindReleases(&populations)
        return draft.patterns.enumerated().compactMap { number, located in
            let scope = located.value.common
            let planting = Planting(id: patternID(number), scope: scope, place: located.place)
            guard let value = located.value.value, let candidates = candidates(scope, populations) else {
                return nil
            }
            warnAboutTime(planting, value)
            let before = reading.problems.count
            guard let planted = plant(value, planting, candidates, &populations),
                reading.problems.count == before
            else { return nil }
            return ScenarioPattern(
                name: patternName(number), kind: kind(of: located), change: planted.change,
                populations: planted.populations, from: scope.at,
                until: scope.length.map { scope.at + $0 }, parameters: parameters(of: located.place))
        }
    }

    private func kind(of located: Located<PatternFormat.Union.Draft>) -> String {
        located.place.node[PatternFormat.union.tag]?.string ?? ""
    }

    func patternName(_ number: Int) -> String {
        let located = draft.patterns[number]
        return located.value.common.name?.value ?? "\(kind(of: located))-\(number)"
    }

    private func patternID(_ number: Int) -> PatternID { PatternID(number, name: patternName(number)) }

    private func parameters(of place: Place) -> [JSONNode.Member] {
        let told = ["pattern", "name", "population", "at", "for"]
        return (place.node.members ?? []).filter { !told.contains($0.key) }
    }

    private mutating func checkPatternNames() {
        var names: [String: String] = [:]
        for (number, located) in draft.patterns.enumerated() {
            let name = patternName(number)
            let query = ScenarioPattern.queryName(of: name)
            guard let first = names[query] else {
                names[query] = name
                continue
            }
            reading.report(
                .conflict, located.value.common.name?.place ?? located.place, found: "\"\(name)\"",
                allowed: first == name
                    ? "a name that no other pattern has"
                    : "a name that differs from \"\(first)\" in more than \"-\" and \"_\": both give the query "
                        + "\"\(query)\"")
        }
    }

    /// The populations that a pattern may concern.
    private mutating func candidates(_ scope: PatternScopeDraft, _ populations: [ScenarioPopulation])
        -> [Int]?
    {
        guard let name = scope.population else { return Array(populations.indices) }
        if let index = populations.firstIndex(where: { $0.name == name.value }) { return [index] }
        reading.reportUnknown(name.value, name.place, among: populationNames, what: "a population")
        return nil
    }

    private mutating func warnAboutTime(_ planting: Planting, _ value: PatternDraft) {
        let (from, end) = (planting.scope.at, draft.duration)
        guard from < end else {
            reading.warn(
                planting.place.path,
                "\(from.text) is not before the end of the run (\(end.text)): the pattern shows nowhere")
            return
        }
        var lengths = [("for", planting.scope.length ?? .zero)]
        if case .release(let release) = value { lengths.append(("over", release.over)) }
        for (key, length) in lengths where from + length > end {
            reading.warn(
                planting.place.path.appending(key),
                "the pattern goes on until \((from + length).text), and the run ends at \(end.text): what would come "
                    + "later does not")
        }
    }

    // MARK: Versions of the app

    /// Adds all versions that are released, in the order of their dates, before anything speaks of them.
    private mutating func bindReleases(_ populations: inout [ScenarioPopulation]) {
        let releases = draft.patterns.enumerated().compactMap {
            number, located -> (number: Int, scope: PatternScopeDraft, release: ReleaseDraft)? in
            guard case .release(let release) = located.value.value else { return nil }
            return (number, located.value.common, release)
        }
        let ordered = releases.sorted { ($0.scope.at, $0.number) < ($1.scope.at, $1.number) }
        for (number, scope, release) in ordered {
            guard let version = release.version, let concerned = candidates(scope, populations) else {
                continue
            }
            for index in concerned {
                guard !populations[index].app.versions.contains(version.value) else {
                    reading.report(
                        .conflict, version.place,
                        allowed: "a version that the app of \"\(populations[index].name)\" does not have yet")
                    break
                }
                populations[index].patterns.users.releases.append(
                    UserPatterns.Release(
                        pattern: patternID(number), version: UInt16(populations[index].app.versions.count),
                        at: ScenarioBinder.epoch + scope.at, over: release.over))
                populations[index].app.versions.append(version.value)
            }
        }
    }

    /// The index of a version of a population's app; `nil` where none is asked for or it has none of that name.
    func version(_ name: Located<String>?, of population: ScenarioPopulation) -> UInt16? {
        name.flatMap { population.app.versions.firstIndex(of: $0.value) }.map { UInt16($0) }
    }
}

// MARK: - Names

extension ScenarioBinder {
    mutating func isConcerned(_ populations: [Int], _ planting: Planting) -> Bool {
        if populations.isEmpty, reading.problems.isEmpty {
            reading.report(
                .conflict, planting.place, found: "a pattern that concerns no population",
                allowed: "events, versions and time zones that one population has together")
        }
        return !populations.isEmpty
    }

    mutating func checkEvent(
        _ name: Located<String>, _ candidates: [Int], _ populations: [ScenarioPopulation]
    ) {
        let known = candidates.flatMap { populations[$0].app.ownEventNames }
        guard !known.containsExactly(name.value) else { return }
        reading.reportUnknown(name.value, name.place, among: known.uniqued, what: "an event of the app")
    }

    mutating func checkVersion(
        _ name: Located<String>?, _ candidates: [Int], _ populations: [ScenarioPopulation]
    ) {
        let known = candidates.flatMap { populations[$0].app.versions }
        guard let name, !known.contains(name.value) else { return }
        reading.reportUnknown(
            name.value, name.place, among: known.uniqued,
            what: "a version of the app, or one that a pattern \"release\" brings")
    }

    mutating func checkZone(_ name: Located<String>?, _ candidates: [Int]) {
        let known = candidates.flatMap { (draft.populations[$0].timeZones?.value ?? []).map(\.name) }
        guard let name, !known.contains(name.value) else { return }
        reading.reportUnknown(
            name.value, name.place, among: known.uniqued, what: "one of the population's \"timeZones\"")
    }

    /// The index of a time zone among a population's.
    func zone(_ name: Located<String>?, of population: Int) -> Int? {
        guard let name else { return nil }
        return draft.populations[population].timeZones?.value.firstIndex { $0.name == name.value }
    }
}

extension AppDescription {
    /// The events of that name, without what mistakes make of them.
    func indices(ofEvent name: String) -> [Int] {
        events.indices.filter { events[$0].variant == nil && events[$0].name.isExactly(name) }
    }

    fileprivate var ownEventNames: [String] { events.filter { $0.variant == nil }.map(\.name) }
}

extension [String] {
    /// Each once, in order.
    fileprivate var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
