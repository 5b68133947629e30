import Timebase

extension SensorsEventEncoder {
    /// The members of `properties`, each with a comma after it. No key is written twice: what loses
    /// is left out.
    @inline(__always)
    func writeProperties(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, device: UInt32, to cursor: inout SensorsCursor
    ) {
        if recipe.kind.hasCommonProperties {
            writeEventProperties(record, recipe, event, view, to: &cursor)
            if book.tagsEvents { writeTag(record, device: device, to: &cursor) }
        } else {
            cursor.put(recipe.constants)
            recipe.members.writeAll(event.stream, event.context, to: &cursor)
            if recipe.correctsDeviceID { cursor.put(view.pointee.deviceID) }
        }
        cursor.dropComma()
        cursor.put(byte: UInt8(ascii: "}"))
    }

    private func writeEventProperties(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, to cursor: inout SensorsCursor
    ) {
        let flags = SensorsEventFlags(rawValue: record.flags)
        let needsKeys = recipe.mayOverride || recipe.mayDropDynamics
        let isPassive = view.pointee.epoch.startedPassively
        let optional = needsKeys ? optionalKeys(record, recipe, isPassive: isPassive) : []
        let missing = missingKeys(recipe, event)
        if recipe.mayOverride {
            writeCommon(recipe, optional, missing, view, to: &cursor)
        } else {
            cursor.put(view.pointee.common)
        }
        if recipe.dynamics.count > 0 { writeDynamics(recipe, event, optional, missing, to: &cursor) }
        if recipe.kind == .web {
            writePage(record, recipe, event, to: &cursor)
        } else {
            cursor.put(recipe.constants)
            writePreset(record, flags, to: &cursor)
            if !book.screenRemarks.isEmpty { writeRemarks(record, event, to: &cursor) }
            recipe.members.writeAll(event.stream, event.context, to: &cursor)
            if flags.contains(.timed), !recipe.setsDuration || missing.own.contains(book.durationKey) {
                cursor.put("\"event_duration\":")
                cursor.put(Int64(record.detail), decimals: 3)
                cursor.put(byte: UInt8(ascii: ","))
            }
        }
        writeHigh(recipe, event, view, flags, to: &cursor)
    }

    private func writeCommon(
        _ recipe: SensorsRecipe, _ optional: SensorsOptionalKeys, _ missing: SensorsMissingKeys,
        _ view: UnsafePointer<SensorsEpochBlock.View>, to cursor: inout SensorsCursor
    ) {
        var start = 0
        for (key, end) in block.members {
            if !overrides(recipe, optional, missing, key) {
                cursor.put(view.pointee.common.part(start..<end))
            }
            start = end
        }
    }

    private func overrides(
        _ recipe: SensorsRecipe, _ optional: SensorsOptionalKeys, _ missing: SensorsMissingKeys, _ key: Int
    ) -> Bool {
        if key < recipe.overrides.count, recipe.overrides[key], !missing.all.contains(key) { return true }
        return optional.rawValue & book.optionalBits[key] != 0
    }

    private func writeDynamics(
        _ recipe: SensorsRecipe, _ event: borrowing SensorsEventDraws, _ optional: SensorsOptionalKeys,
        _ missing: SensorsMissingKeys, to cursor: inout SensorsCursor
    ) {
        if refusesDynamics(event) { return }
        for index in 0..<recipe.dynamics.count {
            let key = recipe.dynamics.key(index)
            if recipe.mayDropDynamics, optional.rawValue & book.optionalBits[key] != 0 { continue }
            let isOwn = recipe.uncertain.contains { $0.key == key && $0.own != nil }
            if isOwn, !missing.own.contains(key) { continue }
            recipe.dynamics.write(index, event.stream, event.context, to: &cursor)
        }
    }

    /// A page's own properties, as far as the app has none of the same name.
    private func writePage(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ event: borrowing SensorsEventDraws,
        to cursor: inout SensorsCursor
    ) {
        let own = recipe.members
        if Int(record.screen) < book.webMembers.count {
            let page = book.webMembers[Int(record.screen)]
            for index in 0..<page.count {
                let key = page.key(index)
                guard !isTaken(key), !recipe.overridesPage(key) else { continue }
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
        if key == book.libKey || key == book.libVersionKey { return false }
        return key < block.present.count && block.present[key]
    }

    /// What the SDK itself gives its preset events.
    @inline(__always)
    private func writePreset(
        _ record: EventRecord, _ flags: SensorsEventFlags, to cursor: inout SensorsCursor
    ) {
        switch record.template {
        case SensorsTemplates.viewScreen:
            guard Int(record.screen) < book.screens.count else { return }
            cursor.put(book.screens[Int(record.screen)].common)
            cursor.put(book.screens[Int(record.screen)].url)
            guard Int(record.control) < book.screens.count else { return }
            cursor.put(book.screens[Int(record.control)].asReferrer)
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
            Int(record.screen) < book.screenRemarks.count
        else { return }
        if !isTap || book.isVersion4 {
            book.screenRemarks[Int(record.screen)].writeAll(event.stream, event.context, to: &cursor)
        }
        let controls = book.controlRemarks[Int(record.screen)]
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
            if book.crashReasons.isEmpty {
                cursor.put("\"app_crashed_reason\":\"unknown\",")
            } else {
                cursor.put(book.crashReasons[Int(record.detail) % book.crashReasons.count])
            }
        case SensorsTemplates.remoteConfigChanged: cursor.put(remoteConfig(record.detail))
        default: break
        }
    }

    @inline(__always)
    private func writeClick(_ record: EventRecord, to cursor: inout SensorsCursor) {
        guard Int(record.screen) < book.screens.count else { return }
        cursor.put(book.screens[Int(record.screen)].common)
        guard Int(record.control) < book.screens[Int(record.screen)].controlCount else { return }
        let control = book.screens[Int(record.screen)].controls + Int(record.control)
        cursor.put(control.pointee.common)
        if let head = control.pointee.pathHead {
            cursor.put(head)
            cursor.put(UInt64(record.detail))
            cursor.put(control.pointee.pathTail)
        }
        if let position = control.pointee.position {
            cursor.put(position)
            cursor.put(UInt64(record.detail))
            cursor.put("\",")
        }
    }

    /// What is written over everything that the app gives.
    @inline(__always)
    private func writeHigh(
        _ recipe: SensorsRecipe, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, _ flags: SensorsEventFlags,
        to cursor: inout SensorsCursor
    ) {
        if recipe.kind != .signUp {
            if flags.contains(.firstDay) {
                cursor.put("\"$is_first_day\":true,")
            } else {
                cursor.put("\"$is_first_day\":false,")
            }
        }
        guard recipe.kind == .track || book.isVersion4 && recipe.kind.hasModuleProperties else { return }
        if !book.isVersion4, view.pointee.epoch.startedPassively {
            cursor.put("\"$app_state\":\"background\",")
        }
        if book.rules.collectsOrientation {
            var orientation = event.stream.child(SensorsRecipeBook.Ordinal.orientation)
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
        _ record: EventRecord, _ recipe: SensorsRecipe, isPassive: Bool
    ) -> SensorsOptionalKeys {
        var keys: SensorsOptionalKeys = []
        guard recipe.kind != .web else { return keys }
        let flags = SensorsEventFlags(rawValue: record.flags)
        if flags.contains(.timed) { keys.insert(.duration) }
        if !book.isVersion4, isPassive, recipe.kind == .track { keys.insert(.appState) }
        guard recipe.hasScreenDetail, Int(record.screen) < book.screens.count else { return keys }
        let screen = book.screens[Int(record.screen)]
        keys.formUnion(screen.keys)
        if record.template == SensorsTemplates.viewScreen {
            keys.formUnion(screen.urlKeys)
            if Int(record.control) < book.screens.count {
                keys.formUnion(book.screens[Int(record.control)].referrerKeys)
            }
        } else if Int(record.control) < screen.controlCount {
            keys.formUnion(screen.controls[Int(record.control)].keys)
        }
        return keys
    }
}
