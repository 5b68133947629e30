import AppModel
import DeviceSDK
import Timebase
import Wire

/// Who wins.
extension SensorsEventCatalogue {
    /// Decides on the properties of an event that carries automatic ones.
    mutating func finish(
        _ draft: inout SensorsEventTemplateDraft, rules: [PropertyRule], certain: [String],
        optional: SensorsOptionalKeys, isAutomatic: Bool
    ) {
        let high = highKeys(of: draft.kind)
        let own = addCallers(rules, role: .any, forbidden: high + certain, to: &draft)
        if isVersion4, draft.kind != .web {
            draft.constants += SensorsFragment("$lib_method", isAutomatic ? "autoTrack" : "code").bytes
        }
        draft.setsDuration = own.contains("event_duration")
        draft.time = time(rules) ?? time(plan.app.dynamicSuperProperties)
        var stronger = Set(high + certain + ["$network_type", "$wifi"])
        // What may be refused lets dynamic super properties show.
        let uncertain = draft.uncertain.compactMap(\.own).map(\.text)
        if draft.kind != .web { stronger.formUnion(own.subtracting(uncertain)) }
        addDynamics(stronger: stronger, to: &draft)
        stronger.formUnion(uncertain)
        if draft.kind == .web {
            // The page's own are written last, as far as nothing else has their keys.
            stronger.formUnion(draft.dynamics.map(\.text))
            draft.pageLosesTo = stronger.sorted().map { keys.index(of: $0) }
            draft.members.removeAll { stronger.contains($0.text) || isAutomaticOnWeb($0.text) }
        }
        var overriding = stronger.union(draft.dynamics.map(\.text))
        overriding.subtract(["$network_type", "$wifi", "$device_id"].filter { !own.contains($0) })
        overriding.remove("$device_id")
        if draft.kind == .web { overriding.formUnion(["$lib", "$lib_version"]) }
        if isVersion4, draft.kind != .web { overriding.insert("$lib_method") }
        decideOverrides(of: &draft, overriding: overriding, optional: optional)
    }

    private func isAutomaticOnWeb(_ key: String) -> Bool {
        key != "$lib" && key != "$lib_version" && Self.automaticKeys.contains(key)
            && (isVersion4 || !["$app_id", "$app_name", "$timezone_offset"].contains(key))
    }

    private mutating func decideOverrides(
        of draft: inout SensorsEventTemplateDraft, overriding: Set<String>, optional: SensorsOptionalKeys
    ) {
        for key in overriding.sorted() { _ = keys.index(of: key) }
        draft.overrides = Array(repeating: false, count: keys.count)
        var shared = Set(Self.automaticKeys)
        for group in superGroups { shared.formUnion(group.map(\.text)) }
        for key in overriding.sorted() {
            if let index = keys.known(key) { draft.overrides[index] = true }
        }
        let possible = SensorsOptionalKeys.names.filter { optional.contains($0.bit) }.map(\.key)
        draft.mayOverride = !shared.isDisjoint(with: overriding.union(possible))
        draft.mayDropDynamics = !Set(draft.dynamics.map(\.text)).isDisjoint(with: possible)
    }

    /// Keys that no caller can set, since they are written after the caller's.
    private func highKeys(of kind: SensorsEventTemplate.Kind) -> [String] {
        var keys = ["$device_id"]
        if plan.tagsEvents { keys.append("bs_id") }
        if isVersion4 { keys += ["$anonymization_id"] }
        if kind != .signUp { keys.append("$is_first_day") }
        guard kind == .track || isVersion4 && kind.hasModuleProperties else { return keys }
        if rules.collectsOrientation { keys.append("$screen_orientation") }
        if rules.collectsLocation {
            keys += ["$latitude", "$longitude"]
            if isVersion4 { keys.append("$geo_coordinate_system") }
        }
        return keys
    }

    private mutating func addDynamics(stronger: Set<String>, to draft: inout SensorsEventTemplateDraft) {
        for member in dynamics where !stronger.contains(member.text) {
            if isVersion4, lift(member, into: &draft) { continue }
            draft.dynamics.append(member)
            let isCertain = isVersion4 ? member.value.isAlwaysRefused == false : !dynamicsDepend
            if let index = draft.uncertain.firstIndex(where: { $0.key == member.key }) {
                draft.uncertain[index].dynamic = member
            } else if !isCertain {
                draft.uncertain.append(SensorsUncertainKey(key: member.key, dynamic: member))
            }
        }
    }

    /// Sorts the caller's properties into what is lifted, what never changes and what is drawn.
    ///
    /// - Returns: The keys that stay in the properties.
    @discardableResult
    mutating func addCallers(
        _ rules: [PropertyRule], role: SensorsValueCompiler.Role, forbidden: [String],
        to draft: inout SensorsEventTemplateDraft
    ) -> Set<String> {
        var own: Set<String> = []
        for member in compiler.members(rules, role: role, firstOrdinal: 0, keys: &keys) {
            if forbidden.contains(member.text) || member.value.isAlwaysRefused == true { continue }
            if isVersion4, ["$anonymization_id", "$lib_method"].contains(member.text), draft.kind != .web {
                continue
            }
            if lift(member, into: &draft) { continue }
            if !isVersion4, draft.kind == .profile, member.text == "$device_id" {
                draft.correctsDeviceID = true
                continue
            }
            own.insert(member.text)
            if isVersion4, draft.kind.hasModuleProperties, member.value.isAlwaysRefused == nil {
                draft.uncertain.append(SensorsUncertainKey(key: member.key, own: member))
            }
            if let constant = member.constant, draft.kind != .web {
                draft.constants += member.name + constant + [UInt8(ascii: ",")]
            } else {
                draft.members.append(member)
            }
        }
        return own
    }

    /// Takes `$project`, `$token` and (4.x) `$time` out of the properties.
    private func lift(_ member: SensorsMember, into draft: inout SensorsEventTemplateDraft) -> Bool {
        if isVersion4, member.text == "$time" { return true }
        guard let lifted = Self.lifted(member) else { return false }
        // In the order of their priority: where the first is refused, the next shows.
        draft.lifted.append(lifted)
        return true
    }

    /// `$project` and `$token` as members of the event itself; `nil` for all other properties.
    static func lifted(_ member: SensorsMember) -> SensorsMember? {
        guard member.text == "$project" || member.text == "$token" else { return nil }
        return SensorsMember(
            key: member.key, text: String(member.text.dropFirst()), value: member.value,
            ordinal: member.ordinal)
    }

    /// The time that 4.x takes from a constant `$time` instead of the capture's, in milliseconds;
    /// times before the company's first product day are refused (`kSAEventCommonOptionalPropertyTimeInt`).
    func time(_ rules: [PropertyRule]) -> Int64? {
        guard isVersion4 else { return nil }
        for rule in rules.reversed() where rule.key == "$time" {
            guard case .constant(.date(let instant)) = rule.generator,
                instant.milliseconds >= 1_431_656_640_000
            else { return nil }
            return instant.milliseconds
        }
        return nil
    }
}
