import DeviceSDK
import GrowingSDK
import Timebase

extension GrowingFormat {
    /// Reports what no single knob can know, and warns of what the real SDK would not do.
    @Sendable
    static func check(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        checkVersion(rules, sdk, &reading)
        checkTypes(rules, sdk, &reading)
        checkForms(rules, sdk, &reading)
        checkExtras(rules, sdk, &reading)
        if let place = sdk.value(at: ["accountId"]), !AccountRules.isURLPart(rules.accountId) {
            reading.report(.outOfRange, place, allowed: AccountRules.allowed)
        }
        for (index, rule) in rules.interceptors.enumerated() {
            guard let place = sdk.value(at: ["interceptors", String(index)]) else { continue }
            check(rule, rules, place, &reading)
        }
        if rules.encryption == .aes, sdk.value(at: ["services", "aesKey"]) != nil {
            reading.secrets.append(String(decoding: rules.services.aesKey, as: UTF8.self))
        }
        warn(rules, sdk, &reading)
    }

    /// What 4.x does not have.
    private static func checkVersion(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        guard rules.isVersion4 else { return }
        if !rules.channels.isEmpty, let place = sdk.value(at: ["channels"]) {
            reading.report(
                .conflict, place, found: "channels for 4.11.0",
                allowed: "no channels: 4.x has no callback for them; 3.2.1 and document do")
        }
        if !rules.events.isEmpty, let place = sdk.value(at: ["events"]) {
            reading.report(
                .conflict, place, found: "events for 4.11.0",
                allowed: "no types of one's own: 4.x has no channel, and so no store, for them")
        }
        if rules.buildFlags.contains(.encryption), let place = sdk.value(at: ["buildFlags"]) {
            reading.report(
                .conflict, place, found: "ENABLE_ENCRYPTION for 4.11.0",
                allowed: "DISABLE_IDFA: 4.x codes bodies by services.compression and services.encryption")
        }
    }

    /// Names of types that are asked for must exist.
    private static func checkTypes(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        let own = rules.events.map(\.type)
        let known = GrowingEventType.allCases.map(\.name) + own
        func check(_ keys: [String], _ allowed: [String], _ names: [String]) {
            for name in names.sorted() where !allowed.contains(name) {
                let place = sdk.value(at: keys) ?? sdk
                reading.reportUnknown(name, place, among: allowed, what: "types of events")
            }
        }
        check(["excludeEvents"], GrowingEventType.excludable(rules.version), Array(rules.excludedEvents))
        check(["upload", "policies"], known, Array(rules.upload.policies.keys))
        for (index, rule) in rules.interceptors.enumerated() {
            check(["interceptors", String(index), "eventTypes"], known, Array(rule.types))
        }
        let builtIn = Set(GrowingEventType.allCases.map(\.name))
        for (index, name) in own.enumerated()
        where builtIn.contains(name) || own.firstIndex(of: name) != index {
            reading.report(
                .conflict, sdk.value(at: ["events", String(index), "name"]) ?? sdk,
                found: "\"\(name)\"", allowed: "a type that is not there yet")
        }
    }

    /// An event of the app's own has the names of one dialect, and a message has none for the second protocol's.
    private static func checkForms(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        guard rules.usesProtobuf, !rules.isVersion4 else { return }
        for type in Set(rules.events.map(\.type)).sorted() {
            let carriers = rules.carriers(ofOwn: type)
            guard let short = carriers.firstIndex(where: { rules.dialect(of: $0) == .v2 }),
                carriers.contains(where: { rules.dialect(of: $0) == .v3 }),
                let index = rules.channels.firstIndex(of: carriers[short]),
                let place = sdk.value(at: ["channels", String(index)])
            else { continue }
            reading.report(
                .conflict, place, found: "\"\(type)\" in channels of both dialects",
                allowed:
                    "one dialect for a type of the app's own, or useProtobuf false: a message has no short names"
            )
        }
    }

    /// A member that is there already would be there twice, and a reader takes one of the two.
    private static func checkExtras(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        for (index, event) in rules.events.enumerated() {
            let isShort = rules.carriers(ofOwn: event.type).contains { rules.dialect(of: $0) == .v2 }
            let names = GrowingRules.memberNames(isShort: isShort)
            for parameter in event.extra where names.contains(parameter.key) {
                reading.report(
                    .conflict,
                    sdk.value(at: ["events", String(index), "extra", parameter.key]) ?? sdk,
                    found: "\"\(parameter.key)\"", allowed: "a member that the SDK's events do not have")
            }
        }
    }

    private static func check(
        _ rule: GrowingInterceptorRule, _ rules: GrowingRules, _ place: Place, _ reading: inout Reading
    ) {
        let isBuilt = rule.callback == .eventWillBuild || rule.callback == .eventDidBuild
        func refuse(_ key: String, _ condition: Bool, _ allowed: String) {
            guard condition, let place = place.value(at: [key]) else { return }
            reading.report(
                .conflict, place, found: "\"\(key)\" with \(rule.callback.rawValue)", allowed: allowed)
        }
        let built = "only with eventWillBuild or eventDidBuild"
        refuse("set", !isBuilt, built)
        refuse("remove", !isBuilt, built)
        refuse("copyTo", rule.callback != .eventDidBuild, "only with eventDidBuild")
        refuse("drop", rule.callback == .requestWithChannel, "only with a callback on events")
        let requests = "only with requestWithChannel"
        refuse("toTemplate", rule.callback != .requestWithChannel, requests)
        refuse("fromTemplate", rule.callback != .requestWithChannel, requests)
        if rule.callback == .requestWithChannel && rules.isVersion4 {
            reading.report(
                .conflict, place.value(at: ["on"]) ?? place, found: "requestWithChannel for 4.11.0",
                allowed: "a callback that 4.x has: eventTriggered, eventWillBuild, eventDidBuild")
        }
        for field in rule.sets.map(\.key) where !isSettable(field) {
            report(field, place.value(at: ["set", field]) ?? place, &reading)
        }
        for (index, field) in rule.removes.enumerated() where !isSettable(field) {
            report(field, place.value(at: ["remove", String(index)]) ?? place, &reading)
        }
    }

    /// What tells an event apart, for the audit's sake.
    private static let fixedFields: Set<String> = [
        "deviceId", "sessionId", "eventType", "timestamp", "globalSequenceId", "eventSequenceId",
        "attributes.bs_id",
    ]

    private static let settableFields = GrowingRules.fieldNames.filter { !fixedFields.contains($0) }

    private static func isSettable(_ field: String) -> Bool {
        if fixedFields.contains(field) { return false }
        return field.hasPrefix("attributes.") ? field.utf8.count > 11 : settableFields.contains(field)
    }

    private static func report(_ field: String, _ place: Place, _ reading: inout Reading) {
        if fixedFields.contains(field) {
            reading.report(
                .conflict, place, found: "\"\(field)\"", allowed: "a field by which no event is known")
        } else {
            reading.reportUnknown(
                field, place, among: settableFields, what: "attributes.<key>, or one of the fields")
        }
    }

    /// Where the real setters would clamp, where numbers are fixed in the source, and what has no effect.
    /// Sources: `GrowingTrackConfiguration.m`, `GrowingEventManager.m`, `GrowingEventDatabase.m`.
    private static func warn(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        let isVersion4 = rules.isVersion4
        reading.warn(
            ["upload", "flushInterval"], of: sdk, when: rules.upload.flushInterval < .seconds(5),
            "the SDK's timer takes 5s at least")
        let day = Interval.hours(24)
        reading.warn(
            ["storage", "ttl"], of: sdk,
            when: isVersion4 && rules.storage.ttl.map { $0 < day * 3 || $0 > day * 30 } ?? true,
            "the SDK's setter clamps it to 3 to 30 days")
        for (keys, isOwn) in [
            (["upload", "batch"], rules.upload.batch != 500),
            (["storage", "writeBuffer"], rules.storage.writeBuffer != 100),
            (["storage", "ttl"], !isVersion4 && rules.storage.ttl != day * 7),
            (["upload", "firstFlush"], rules.upload.firstFlush != .seconds(5)),
        ] {
            reading.warn(
                keys, of: sdk, when: isOwn, "the SDK has no such setting: the number is fixed in its source")
        }
        for module in rules.modules.added.sorted(by: { $0.rawValue < $1.rawValue }) where !module.isSimulated
        {
            reading.warn(
                ["modules", "add"], of: sdk,
                "\(module.rawValue) only speaks to a WebSocket: nothing of it is simulated")
        }
        warnOfVersions(rules, sdk, &reading)
        warnOfServices(rules.services, sdk, isVersion4: isVersion4, &reading)
        warnOfTemplates(rules, sdk, &reading)
    }

    /// What one of the versions does not know.
    private static func warnOfVersions(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        let isVersion4 = rules.isVersion4
        reading.warn(
            ["customEventWithPath"], of: sdk, when: !isVersion4 && rules.customEventWithPath,
            "only 4.x knows it")
        reading.warn(
            ["autotrack", "pages"], of: sdk, when: !isVersion4 && rules.autotrack.pages != .all,
            "only 4.x knows a list: 3.x sends PAGE of every view controller")
        reading.warn(["debugBuild"], of: sdk, when: !isVersion4 && rules.debugBuild, "only 4.x asks for it")
        reading.warn(
            ["debugEnabled"], of: sdk, when: isVersion4 && rules.debugEnabled && !rules.debugBuild,
            "without debugBuild it does nothing in 4.x")
        reading.warn(
            ["storage", "queueLimit"], of: sdk, when: isVersion4 && rules.storage.queueLimit != nil,
            "4.x reads rows from the store, without a queue")
    }

    private static func warnOfServices(
        _ services: GrowingRules.Services, _ sdk: Place, isVersion4: Bool, _ reading: inout Reading
    ) {
        reading.warn(
            ["services", "aesKey"], of: sdk,
            "the collectors of beaconswarm know the default key alone: only a collector of yours can read this"
        )
        reading.warn(
            ["services", "network"], of: sdk, when: !services.network, "nothing is ever uploaded")
        reading.warn(
            ["services", "database"], of: sdk, when: !services.database,
            isVersion4
                ? "every event is lost (storage_error)"
                : "custom events are lost (storage_error), and others whenever an answer empties the queue")
    }

    /// 3.2.1 does not send to a template.
    private static func warnOfTemplates(_ rules: GrowingRules, _ sdk: Place, _ reading: inout Reading) {
        guard rules.version == .v3 else { return }
        for (index, channel) in rules.channels.enumerated() {
            let template = channel.template.prefix { $0 != "?" }
            guard template != rules.path(of: channel).prefix(while: { $0 != "?" }),
                let place = sdk.value(at: ["channels", String(index), "urlTemplate"])
            else { continue }
            reading.warn(
                place.path,
                "3.2.1 only logs it: the requests go to \(GrowingChannel.template), unless the dialect is v2")
        }
    }
}
