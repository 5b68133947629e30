import DeviceSDK
import Timebase

extension SensorsEventEncoder {
    /// The members of `properties`, each with a comma after it. No key is written twice: what loses
    /// is left out.
    @inline(__always)
    func writeProperties(
        _ record: EventRecord, _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, device: UInt32, to cursor: inout SensorsCursor
    ) {
        if template.kind.hasCommonProperties {
            writeEventProperties(record, template, event, view, to: &cursor)
            if catalogue.tagsEvents { writeTag(record, device: device, to: &cursor) }
        } else {
            cursor.put(template.constants)
            template.members.writeAll(event.stream, event.context, to: &cursor)
            if template.correctsDeviceID { cursor.put(view.pointee.deviceID) }
        }
        cursor.dropComma()
        cursor.put(byte: UInt8(ascii: "}"))
    }

    private func writeEventProperties(
        _ record: EventRecord, _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, to cursor: inout SensorsCursor
    ) {
        let flags = SensorsEventFlags(rawValue: record.flags)
        let needsKeys = template.mayOverride || template.mayDropDynamics
        let isPassive = view.pointee.epoch.startedPassively
        let optional = needsKeys ? optionalKeys(record, template, isPassive: isPassive) : []
        let missing = missingKeys(template, event)
        if template.mayOverride {
            writeCommon(template, optional, missing, view, to: &cursor)
        } else {
            cursor.put(view.pointee.common)
        }
        if template.dynamics.count > 0 { writeDynamics(template, event, optional, missing, to: &cursor) }
        if template.kind == .web {
            writePage(record, template, event, to: &cursor)
        } else {
            cursor.put(template.constants)
            writePreset(record, flags, to: &cursor)
            if !catalogue.screenRemarks.isEmpty { writeRemarks(record, event, to: &cursor) }
            template.members.writeAll(event.stream, event.context, to: &cursor)
            if flags.contains(.timed), !template.setsDuration || missing.own.contains(catalogue.durationKey) {
                cursor.put("\"event_duration\":")
                let timed = TimedSubject(record, isWide: flags.contains(.wide))
                cursor.put(timed.milliseconds, decimals: 3)
                cursor.put(byte: UInt8(ascii: ","))
            }
        }
        writeHigh(template, event, view, flags, to: &cursor)
    }

    private func writeCommon(
        _ template: SensorsEventTemplate, _ optional: SensorsOptionalKeys, _ missing: SensorsMissingKeys,
        _ view: UnsafePointer<SensorsEpochBlock.View>, to cursor: inout SensorsCursor
    ) {
        var start = 0
        for (key, end) in block.members {
            if !overrides(template, optional, missing, key) {
                cursor.put(view.pointee.common.part(start..<end))
            }
            start = end
        }
    }

    private func overrides(
        _ template: SensorsEventTemplate, _ optional: SensorsOptionalKeys, _ missing: SensorsMissingKeys,
        _ key: Int
    ) -> Bool {
        if key < template.overrides.count, template.overrides[key], !missing.all.contains(key) { return true }
        return optional.rawValue & catalogue.optionalBits[key] != 0
    }

    private func writeDynamics(
        _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        _ optional: SensorsOptionalKeys,
        _ missing: SensorsMissingKeys, to cursor: inout SensorsCursor
    ) {
        if refusesDynamics(event) { return }
        for index in 0..<template.dynamics.count {
            let key = template.dynamics.key(index)
            if template.mayDropDynamics, optional.rawValue & catalogue.optionalBits[key] != 0 { continue }
            let isOwn = template.uncertain.contains { $0.key == key && $0.own != nil }
            if isOwn, !missing.own.contains(key) { continue }
            template.dynamics.write(index, event.stream, event.context, to: &cursor)
        }
    }

    /// A page's own properties, as far as the app has none of the same name.
    private func writePage(
        _ record: EventRecord, _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        to cursor: inout SensorsCursor
    ) {
        let own = template.members
        if Int(record.screen) < catalogue.webMembers.count {
            let page = catalogue.webMembers[Int(record.screen)]
            for index in 0..<page.count {
                let key = page.key(index)
                guard !isTaken(key), !template.overridesPage(key) else { continue }
                guard !(0..<own.count).contains(where: { own.key($0) == key }) else { continue }
                page.write(index, event.stream, event.context, to: &cursor)
            }
        }
        for index in 0..<own.count where !isTaken(own.key(index)) {
            own.write(index, event.stream, event.context, to: &cursor)
        }
    }

    /// Whether the app's properties on a page's event have a key.
    private func isTaken(_ key: Int) -> Bool {
        if key == catalogue.libKey || key == catalogue.libVersionKey { return false }
        return key < block.present.count && block.present[key]
    }

    /// What the SDK itself gives its preset events.
    @inline(__always)
    private func writePreset(
        _ record: EventRecord, _ flags: SensorsEventFlags, to cursor: inout SensorsCursor
    ) {
        switch record.template {
        case SensorsTemplates.viewScreen:
            guard Int(record.screen) < catalogue.screens.count else { return }
            cursor.put(catalogue.screens[Int(record.screen)].common)
            cursor.put(catalogue.screens[Int(record.screen)].url)
            guard Int(record.control) < catalogue.screens.count else { return }
            cursor.put(catalogue.screens[Int(record.control)].asReferrer)
        case SensorsTemplates.click: writeClick(record, to: &cursor)
        case ...SensorsTemplates.remoteConfigChanged: writeRarePreset(record, flags, to: &cursor)
        default: break
        }
    }

    /// What the app adds to views and taps. 1.x asks the controller for views alone, 4.x for taps too
    /// (`SAUIProperties propertiesWithViewController:`).
    private func writeRemarks(
        _ record: EventRecord, _ event: borrowing SensorsEventDraws, to cursor: inout SensorsCursor
    ) {
        let isTap = record.template == SensorsTemplates.click
        guard isTap || record.template == SensorsTemplates.viewScreen,
            Int(record.screen) < catalogue.screenRemarks.count
        else { return }
        if !isTap || catalogue.isVersion4 {
            catalogue.screenRemarks[Int(record.screen)].writeAll(event.stream, event.context, to: &cursor)
        }
        let controls = catalogue.controlRemarks[Int(record.screen)]
        guard isTap, Int(record.control) < controls.count else { return }
        controls[Int(record.control)].writeAll(event.stream, event.context, to: &cursor)
    }

    private func writeRarePreset(
        _ record: EventRecord, _ flags: SensorsEventFlags, to cursor: inout SensorsCursor
    ) {
        switch record.template {
        case SensorsTemplates.appStart, SensorsTemplates.appStartPassively:
            cursor.put("\"$is_first_time\":")
            cursor.put(flags.contains(.firstTime) ? "true" : "false" as StaticString)
            cursor.put(",\"$resume_from_background\":")
            cursor.put(flags.contains(.resumed) ? "true" : "false" as StaticString)
            cursor.put(byte: UInt8(ascii: ","))
        case SensorsTemplates.crashed:
            if catalogue.crashReasons.isEmpty {
                cursor.put("\"app_crashed_reason\":\"unknown\",")
            } else {
                cursor.put(catalogue.crashReasons[Int(record.detail) % catalogue.crashReasons.count])
            }
        case SensorsTemplates.remoteConfigChanged: cursor.put(remoteConfig(record.detail))
        default: break
        }
    }

    @inline(__always)
    private func writeClick(_ record: EventRecord, to cursor: inout SensorsCursor) {
        guard Int(record.screen) < catalogue.screens.count else { return }
        cursor.put(catalogue.screens[Int(record.screen)].common)
        guard Int(record.control) < catalogue.screens[Int(record.screen)].controlCount else { return }
        let control = catalogue.screens[Int(record.screen)].controls + Int(record.control)
        cursor.put(control.pointee.common)
        let row = UInt64(record.detail & 0xFFFF)
        if let head = control.pointee.pathHead {
            cursor.put(head)
            cursor.put(row)
            cursor.put(control.pointee.pathTail)
        }
        if let position = control.pointee.position {
            cursor.put(position)
            cursor.put(row)
            cursor.put("\",")
        }
        let value = Int(record.detail >> 16)
        if value < control.pointee.valueCount { cursor.put(control.pointee.values[value]) }
    }

    /// What is written over everything that the app gives.
    @inline(__always)
    private func writeHigh(
        _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, _ flags: SensorsEventFlags,
        to cursor: inout SensorsCursor
    ) {
        if template.kind != .signUp {
            if flags.contains(.firstDay) {
                cursor.put("\"$is_first_day\":true,")
            } else {
                cursor.put("\"$is_first_day\":false,")
            }
        }
        guard template.kind == .track || catalogue.isVersion4 && template.kind.hasModuleProperties else {
            return
        }
        if !catalogue.isVersion4, view.pointee.epoch.startedPassively {
            cursor.put("\"$app_state\":\"background\",")
        }
        if catalogue.rules.collectsOrientation {
            var orientation = event.stream.child(SensorsEventCatalogue.Ordinal.orientation)
            // Phones are held upright nearly always.
            if orientation.chance(0.97) {
                cursor.put("\"$screen_orientation\":\"portrait\",")
            } else {
                cursor.put("\"$screen_orientation\":\"landscape\",")
            }
        }
        cursor.put(view.pointee.location)
    }

    /// Which of the keys that are not always there this event carries.
    private func optionalKeys(
        _ record: EventRecord, _ template: SensorsEventTemplate, isPassive: Bool
    ) -> SensorsOptionalKeys {
        var keys: SensorsOptionalKeys = []
        guard template.kind != .web else { return keys }
        let flags = SensorsEventFlags(rawValue: record.flags)
        if flags.contains(.timed) { keys.insert(.duration) }
        if !catalogue.isVersion4, isPassive, template.kind == .track { keys.insert(.appState) }
        guard template.hasScreenDetail, Int(record.screen) < catalogue.screens.count else { return keys }
        let screen = catalogue.screens[Int(record.screen)]
        keys.formUnion(screen.keys)
        if record.template == SensorsTemplates.viewScreen {
            keys.formUnion(screen.urlKeys)
            if Int(record.control) < catalogue.screens.count {
                keys.formUnion(catalogue.screens[Int(record.control)].referrerKeys)
            }
        } else if Int(record.control) < screen.controlCount {
            keys.formUnion(screen.controls[Int(record.control)].keys)
        }
        return keys
    }
}
