package import SDKDescription
import Wire

/// Reads descriptions of SDKs: what a preset says, what a scenario changes of it, and then what the templates mean.
package enum DescriptionReader {
    /// Reads a description that stands by itself, such as a file of its own.
    ///
    /// - Parameter warn: Takes what may be meant, but surprises whoever did not mean it.
    /// - Returns: a sound description, or every problem that was found.
    package static func read(
        bytes: [UInt8], warn: (ScenarioWarning) -> Void = { _ in }
    ) -> Result<DescribedSDK, ScenarioProblems> {
        var reading = Reading()
        let node = ScenarioLoader.read(bytes, &reading)
        let sdk = node.flatMap { read(Place(node: $0, path: JSONPath()), &reading) }
        guard let sdk, reading.problems.isEmpty else {
            let found = ScenarioProblems(problems: ScenarioLoader.sorted(reading.problems))
            return .failure(node.flatMap(FileKind.description.mistaken) ?? found)
        }
        reading.warnings.forEach(warn)
        return .success(sdk)
    }

    /// Reads `sdk` of a population.
    ///
    /// - Parameter version: Which of a preset's versions is meant, or a preset with its version, if the population says
    ///   so.
    static func read(
        _ place: Place, version: Located<String>? = nil, _ reading: inout Reading
    ) -> DescribedSDK? {
        let before = reading.problems.count
        guard var whole = whole(place, version, &reading) else { return nil }
        checkLaneRemovals(whole, &reading)
        whole.node = whole.node.withLanesRequests
        let found = read(whole: whole, &reading)
        tellOnce(whole, after: before, &reading)
        tellOwnKeys(place, after: before, &reading)
        guard let sdk = found else { return nil }
        if let version, version.value != sdk.version, version.value != "\(sdk.name) \(sdk.version)" {
            reading.report(
                .conflict, version.place,
                allowed: "\"\(sdk.version)\", the version of the description, or none")
        }
        return reading.problems.count == before ? sdk : nil
    }

    /// A scenario may also say of what its `sdk` is a change: a key that is none may have been meant for that.
    private static func tellOwnKeys(_ place: Place, after before: Int, _ reading: inout Reading) {
        // A description that stands by itself has no file.
        guard !place.path.tokens.isEmpty else { return }
        let names = DeclaredFormat.written.fields.map(\.name)
        for index in reading.problems.indices.dropFirst(before) {
            let problem = reading.problems[index]
            guard let tokens = JSONPath(text: problem.pointer)?.tokens else { continue }
            if problem.kind == .wrongType, tokens == place.path.tokens {
                reading.problems[index].allowed = "an object with keys of: " + quotedList(names)
            } else if problem.kind == .unknownKey, let key = tokens.last,
                tokens.dropLast() == place.path.tokens[...]
            {
                reading.problems[index].allowed = quotedList(names)
                reading.problems[index].nearest = NameDistance.nearest(to: key, among: names)
            }
        }
    }

    /// Reads a description with nothing under it.
    static func read(whole written: Place, _ reading: inout Reading) -> DescribedSDK? {
        let before = reading.problems.count
        let whole = Place(
            node: written.node.withoutNulls(of: DeclaredFormat.description.shape()), path: written.path)
        guard let draft = DeclaredFormat.description.decode(whole, &reading) else { return nil }
        // What is left out matters less than what is wrong.
        if draft.common == nil, reading.problems.count > before { return nil }
        let sdk = DescriptionBinder(draft: draft, place: whole).bind(&reading)
        guard reading.problems.count == before else { return nil }
        check(sdk, whole, &reading)
        if reading.problems.count == before {
            warnOfBlanks(sdk, whole, &reading)
            warnOfIdleKnobs(sdk, whole, &reading)
        }
        return sdk
    }

    /// The description with its preset under it.
    static func whole(
        _ place: Place, _ version: Located<String>?, _ reading: inout Reading
    ) -> Place? {
        guard place.node.isObject else { return place }
        guard let preset = place.node["preset"] else {
            guard place.node["version"] == nil else { return place }
            let preset = SDKPreset.all.first { $0.label == version?.value }
            return preset.map { merged($0, place, &reading) } ?? place
        }
        let presetPlace = Place(node: preset, path: place.path.appending("preset"))
        let form = Form<String>.name(SDKPreset.names.map { ($0, $0) }, what: "a preset")
        guard let name = form.decode(presetPlace, &reading) else { return nil }
        let versions = SDKPreset.versions(of: name)
        guard let wanted = version ?? ownVersion(of: place) else {
            return versions.first.map { merged($0, place, &reading) }
        }
        guard let found = versions.first(where: { [$0.version, $0.label].contains(wanted.value) }) else {
            reading.reportUnknown(
                wanted.value, wanted.place, among: versions.map(\.version), what: "a version of \"\(name)\"")
            return nil
        }
        return merged(found, place, &reading)
    }

    private static func ownVersion(of place: Place) -> Located<String>? {
        place.node["version"].flatMap { node in
            node.string.map {
                Located(value: $0, place: Place(node: node, path: place.path.appending("version")))
            }
        }
    }

    private static func merged(_ preset: SDKPreset, _ place: Place, _ reading: inout Reading) -> Place {
        checkRemovals(place, over: preset.description, &reading)
        var changes = place.node
        if case .object(let members) = changes.content {
            changes.content = .object(members.filter { $0.key != "preset" })
        }
        let own = preset.description.moved(to: .preset(preset.label))
        return Place(node: own.merging(changes), path: place.path)
    }
}

extension JSONNode {
    /// A description whose lanes have whole requests: what they do not say is as in its own.
    var withLanesRequests: JSONNode {
        guard let lanes = self["lanes"]?.members, !lanes.isEmpty, case .object(var members) = content else {
            return self
        }
        let main = self["request"] ?? .object([])
        guard main.members != nil else { return self }
        let whole = lanes.map { lane in
            var lane = lane
            guard case .object(var parts) = lane.value.content else { return lane }
            let index = parts.firstIndex { $0.key == "request" }
            let own = index.map { parts[$0].value }.flatMap { $0.content == .null ? nil : $0 }
            let request = main.merging(own ?? .object([]))
            if let index { parts[index].value = request } else { parts.append(.init("request", request)) }
            lane.value.content = .object(parts)
            return lane
        }
        for index in members.indices where members[index].key == "lanes" {
            members[index].value.content = .object(whole)
        }
        return JSONNode(.object(members), position: position)
    }
}
