import Accounting
import AppModel
import DeviceSDK
import Timebase
import Wire

/// Everything that a population's events are made from, rendered once: each template compiled,
/// screens, super properties, and which key wins over which.
///
/// Merge order (later wins). 1.x: automatic, super, dynamic super, network and duration, the
/// caller's, first day with orientation and location, `$device_id`. 4.x: the same sources by the
/// priority of its property plugins (`SAPropertyPluginManager`), with `$lib_method` among the
/// caller's. An event of a web page is the other way round: the page's own properties give way to
/// all of the app's.
struct SensorsEventCatalogue {
    let plan: PopulationPlan
    let streams: PopulationStreams
    let rules: SensorsRules
    let labels: SensorsTemplates
    let compiler: SensorsValueCompiler
    /// Dates in super properties: 1.x leaves them to its JSON writer, whose zone is UTC+8.
    let sharedCompiler: SensorsValueCompiler
    var keys = SensorsKeys()
    private(set) var eventTemplates: [SensorsEventTemplate] = []
    let screens: [SensorsScreenPresets]
    /// Holds the fragments of templates and screens.
    let arena: SensorsArena
    private(set) var webMembers: [SensorsCompiledMembers] = []
    private(set) var superGroups: [[SensorsMember]] = []
    /// The members of ``superGroups`` laid out for writing.
    private(set) var superMembers: [SensorsCompiledMembers] = []
    /// For each of them a number that names which differ in case at most share, and those numbers
    /// of the dynamic ones.
    private(set) var superFolds: [[Int]] = []
    private(set) var dynamicFolds: Set<Int> = []
    let automatic: SensorsAutomaticProperties
    private(set) var dynamics: [SensorsMember] = []
    /// The app's bindings (4.x), by their numbers: `"$identity_mobile":"…",`.
    private(set) var bindings: SensorsCompiledMembers
    private(set) var crashReasons: [SensorsBytes] = []
    /// What the app adds to preset events, by screen and by control; nothing if it adds nothing.
    private(set) var screenRemarks: [SensorsCompiledMembers] = []
    private(set) var controlRemarks: [[SensorsCompiledMembers]] = []
    /// The most bytes of an event beside those of its template and its epoch.
    private(set) var presetLimit = 0
    /// Whether 1.x may find a bad value among the dynamic super properties.
    private(set) var dynamicsDepend = false
    let libKey: Int
    let libVersionKey: Int
    let durationKey: Int
    /// ``SensorsOptionalKeys`` by key.
    private(set) var optionalBits: [UInt16] = []

    /// What events tell of when screens appear, and which taps they tell of.
    let hookedViews: SensorsHookedViews
    let isVersion4: Bool
    let tagsEvents: Bool
    var libVersion: String { isVersion4 ? "4.9.1" : "1.10.17" }

    /// Ordinals of the members of an event's streams, apart from the caller's own from 0.
    enum Ordinal {
        static let dynamics: UInt64 = 1 << 32
        static let itemID: UInt64 = 2 << 32
        static let webDelay: UInt64 = 3 << 32
        static let orientation: UInt64 = 4 << 32
        static let superGroups: UInt64 = 5 << 32
        static let screenRemarks: UInt64 = 6 << 32
        static let controlRemarks: UInt64 = 7 << 32
    }

    init(plan: PopulationPlan, rules: SensorsRules, templates: SensorsTemplates) {
        self.plan = plan
        streams = plan.streams
        self.rules = rules
        labels = templates
        isVersion4 = rules.isVersion4
        tagsEvents = plan.tagsEvents
        let arena = SensorsArena()
        self.arena = arena
        let sampler = PropertySampler(app: plan.app)
        compiler = SensorsValueCompiler(
            version: rules.version, app: plan.app, sampler: sampler, zone: plan.utcOffset)
        sharedCompiler = SensorsValueCompiler(
            version: rules.version, app: plan.app, sampler: sampler,
            zone: rules.isVersion4 ? plan.utcOffset : .hours(8), isLocal: rules.isVersion4)
        let views = AppViews(app: plan.app)
        hookedViews = SensorsHookedViews(views: views, version: rules.version)
        screens = hookedViews.pages.enumerated().map { index, screen in
            // A container around screens has no controls.
            let elements = screen.controls.indices.map {
                SensorsElement(UInt16($0), on: UInt16(index), views, rules.version)
            }
            return SensorsScreenPresets(
                screen: screen, elements: elements, version: rules.version, arena: arena)
        }
        libKey = keys.index(of: "$lib")
        libVersionKey = keys.index(of: "$lib_version")
        durationKey = keys.index(of: "event_duration")
        for key in Self.automaticKeys { _ = keys.index(of: key) }
        automatic = SensorsAutomaticProperties(
            app: plan.app, isVersion4: isVersion4, libVersion: isVersion4 ? "4.9.1" : "1.10.17",
            keys: keys, arena: arena)
        bindings = Self.bindings(of: plan.app, compiler, &keys, arena)
        prepareShared()
        eventTemplates = templates.labels.indices.map {
            SensorsEventTemplate(draft(of: UInt16($0)), arena: arena)
        }
        optionalBits = Array(repeating: 0, count: keys.count)
        for (name, bit) in SensorsOptionalKeys.names {
            if let key = keys.known(name) { optionalBits[key] = bit.rawValue }
        }
    }

    static let automaticKeys = [
        "$app_id", "$app_name", "$timezone_offset", "$manufacturer", "$model", "$os", "$os_version",
        "$screen_width", "$screen_height", "$carrier", "$app_version", "$lib", "$lib_version",
        "$network_type", "$wifi", "$device_id",
    ]

    private mutating func prepareShared() {
        for key in Self.automaticKeys + SensorsOptionalKeys.names.map(\.key) { _ = keys.index(of: key) }
        prepareSuperProperties()
        crashReasons = plan.app.crashReasons.map { reason in
            let text = SensorsNames.cut(reason, key: "app_crashed_reason", version: rules.version)
            return arena.keep(SensorsFragment("app_crashed_reason", text).bytes)
        }
        prepareWebPages()
        prepareRemarks()
        // Two screens, a page, a reason, and the members that every event has.
        presetLimit =
            2 * (screens.map(\.limit).max() ?? 0) + (webMembers.map(\.limit).max() ?? 0)
            + (crashReasons.map(\.count).max() ?? 0) + bindings.limit + 1024
            + (screenRemarks.map(\.limit).max() ?? 0)
            + (controlRemarks.flatMap { $0 }.map(\.limit).max() ?? 0)
    }

    private mutating func prepareSuperProperties() {
        for (group, properties) in plan.app.superProperties.enumerated() {
            let members = sharedCompiler.members(
                properties.properties, firstOrdinal: Ordinal.superGroups + UInt64(group) << 16, keys: &keys)
            // 1.x does not register a dictionary with anything wrong in it; 4.x leaves that out.
            let isRefused = !isVersion4 && members.contains { $0.value.isAlwaysRefused == true }
            superGroups.append(isRefused ? [] : members.filter { $0.value.isAlwaysRefused != true })
            superMembers.append(SensorsCompiledMembers(superGroups[group], arena: arena))
        }
        let dynamics = sharedCompiler.members(
            plan.app.dynamicSuperProperties, firstOrdinal: Ordinal.dynamics, keys: &keys)
        if isVersion4 || !dynamics.contains(where: { $0.value.isAlwaysRefused == true }) {
            self.dynamics = dynamics.filter { $0.value.isAlwaysRefused != true }
        }
        var folds = SensorsKeys()
        superFolds = superGroups.map { group in group.map { folds.index(of: $0.text.lowercased()) } }
        dynamicFolds = Set(self.dynamics.map { folds.index(of: $0.text.lowercased()) })
        dynamicsDepend = self.dynamics.contains { $0.value.isAlwaysRefused == nil }
    }

    private mutating func prepareWebPages() {
        webMembers = plan.app.screens.map { screen in
            guard let page = screen.web else { return SensorsCompiledMembers([], arena: arena) }
            let members = [
                ("$lib", "js"), ("$lib_version", SensorsWebBridge.scriptVersion), ("$url", page.url),
                ("$title", screen.title), ("$referrer", ""), ("$latest_traffic_source_type", "直接流量"),
                ("$latest_referrer", ""),
            ].map { key, text in
                SensorsMember(
                    key: keys.index(of: key), text: key,
                    value: .constant(JSONFragment(string: text, slashes: .escaped).bytes), ordinal: 0)
            }
            return SensorsCompiledMembers(members, arena: arena)
        }
    }

    private mutating func prepareRemarks() {
        let screens = plan.app.screens
        guard
            screens.contains(where: {
                !$0.properties.isEmpty || $0.controls.contains { !$0.properties.isEmpty }
            })
        else { return }
        for screen in screens {
            let own = compiler.members(
                screen.properties, firstOrdinal: Ordinal.screenRemarks, keys: &keys)
            screenRemarks.append(SensorsCompiledMembers(own, arena: arena))
            var controls: [SensorsCompiledMembers] = []
            for control in screen.controls {
                // Of React Native's views 1.x reads none.
                let isRead = isVersion4 || control.resolvedKind != .reactView
                let own = compiler.members(
                    isRead ? control.properties : [], firstOrdinal: Ordinal.controlRemarks, keys: &keys)
                controls.append(SensorsCompiledMembers(own, arena: arena))
            }
            controlRemarks.append(controls)
        }
    }

    // MARK: One template

    private mutating func draft(of template: UInt16) -> SensorsEventTemplateDraft {
        let offset = Int(template) - SensorsTemplates.fixedCount
        guard offset >= 0 else { return fixed(template) }
        if offset < labels.eventCount { return business(plan.app.events[offset]) }
        let profile = offset - labels.eventCount
        if profile < labels.profileCount { return self.profile(plan.app.profiles[profile]) }
        let item = profile - labels.profileCount
        return item < plan.app.items.count ? self.item(plan.app.items[item]) : binding(template)
    }

    private mutating func binding(_ template: UInt16) -> SensorsEventTemplateDraft {
        var draft = SensorsEventTemplateDraft(kind: template == labels.bind ? .bind : .unbind)
        draft.head = head(labels.labels[Int(template)])
        draft.libTail = libTail(isAutomatic: false, callSite: nil)
        finish(&draft, rules: [], certain: [], optional: [], isAutomatic: false)
        return draft
    }

    private mutating func fixed(_ template: UInt16) -> SensorsEventTemplateDraft {
        let isSignUp = template == SensorsTemplates.signUp
        var draft = SensorsEventTemplateDraft(kind: isSignUp ? .signUp : .track)
        draft.head = head(labels.labels[Int(template)])
        let isAutomatic = labels.autoTrackBit(of: template) != nil
        draft.hasScreenDetail = template == SensorsTemplates.click || template == SensorsTemplates.viewScreen
        let site = draft.hasScreenDetail ? nil : Self.callSite(of: template)
        draft.libTail = libTail(isAutomatic: isAutomatic, callSite: site)
        if let other = Self.otherCallSite(of: template) {
            draft.otherLibTail = libTail(isAutomatic: isAutomatic, callSite: other)
        }
        let optional = SensorsOptionalKeys.presets(of: template)
        finish(
            &draft, rules: [], certain: Self.presetKeys(of: template), optional: optional,
            isAutomatic: isAutomatic)
        return draft
    }

    private mutating func business(_ event: BusinessEvent) -> SensorsEventTemplateDraft {
        var draft = SensorsEventTemplateDraft(kind: event.isWeb ? .web : .track)
        draft.head = head(EventLabel(type: "track", name: event.name))
        draft.libTail = libTail(isAutomatic: false, callSite: callSite(of: event.trigger))
        finish(
            &draft, rules: event.properties, certain: [], optional: [.duration, .appState], isAutomatic: false
        )
        return draft
    }

    private mutating func profile(_ update: ProfileUpdate) -> SensorsEventTemplateDraft {
        var draft = SensorsEventTemplateDraft(kind: .profile)
        draft.head = head(EventLabel(type: update.operation.rawValue, name: ""))
        draft.libTail = libTail(isAutomatic: false, callSite: callSite(of: update.trigger))
        var rules = update.operation == .delete ? [] : update.properties
        if update.operation == .unset {
            rules = rules.map { PropertyRule($0.key, .constant(.string(""))) }
        }
        addCallers(
            rules, role: SensorsValueCompiler.Role(update.operation), forbidden: [], to: &draft)
        return draft
    }

    private mutating func item(_ update: ItemUpdate) -> SensorsEventTemplateDraft {
        var draft = SensorsEventTemplateDraft(kind: .item)
        var buffer = WireBuffer(update.isDeletion ? "{\"type\":\"item_delete\"," : "{\"type\":\"item_set\",")
        // A bad type is left out, and the item still sent.
        if SensorsNames.isValid(update.itemType, version: rules.version) {
            buffer.append(contentsOf: SensorsFragment("item_type", update.itemType).bytes)
        }
        draft.head = buffer.bytes
        draft.libTail = libTail(isAutomatic: false, callSite: nil)
        draft.hasProperties = !update.isDeletion
        addCallers(update.isDeletion ? [] : update.properties, role: .any, forbidden: [], to: &draft)
        draft.itemID = SensorsMember(
            key: keys.index(of: "item_id"), text: "item_id",
            value: compiler.text(update.itemID, key: "item_id"), ordinal: Ordinal.itemID)
        return draft
    }

    private func head(_ label: EventLabel) -> [UInt8] {
        var buffer = WireBuffer("{")
        buffer.append(contentsOf: SensorsFragment("type", label.type).bytes)
        buffer.append(contentsOf: SensorsFragment(optional: "event", label.name).bytes)
        return buffer.bytes
    }

    private func libTail(isAutomatic: Bool, callSite: String?) -> [UInt8] {
        var fragment = SensorsFragment("$lib_method", isVersion4 && isAutomatic ? "autoTrack" : "code")
        if !isVersion4, let callSite { fragment.add("$lib_detail", callSite + "####") }
        return Array(fragment.bytes.dropLast())
    }
}
