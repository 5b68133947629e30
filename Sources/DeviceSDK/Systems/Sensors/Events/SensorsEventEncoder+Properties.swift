import Timebase
import Wire

extension SensorsEventEncoder {
    /// The members of `properties`, each with a comma after it. No key is written twice: what loses
    /// is left out.
    func writeProperties(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ event: SensorsEventDraws,
        _ view: SensorsEpochBlock.View, epoch: SensorsEpoch, device: UInt32, into out: inout WireBuffer
    ) {
        if recipe.kind.hasCommonProperties {
            writeEventProperties(record, recipe, event, view, epoch: epoch, into: &out)
            if book.tagsEvents { writeTag(record, device: device, into: &out) }
        } else {
            out.append(recipe.constants)
            for member in recipe.members { member.write(event.stream, event.context, to: &out) }
            if recipe.correctsDeviceID { out.append(view.deviceID) }
        }
        if out.last == UInt8(ascii: ",") { out.truncate(to: out.count - 1) }
        out.append(UInt8(ascii: "}"))
    }

    private func writeEventProperties(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ event: SensorsEventDraws,
        _ view: SensorsEpochBlock.View, epoch: SensorsEpoch, into out: inout WireBuffer
    ) {
        let flags = SensorsEventFlags(rawValue: record.flags)
        let needsKeys = recipe.mayOverride || recipe.mayDropDynamics
        let optional = needsKeys ? optionalKeys(record, recipe, epoch) : []
        if recipe.mayOverride {
            writeCommon(recipe, optional, into: &out)
        } else {
            out.append(view.common)
        }
        writeDynamics(recipe, event, optional, into: &out)
        if recipe.kind == .web {
            writePage(record, recipe, event, into: &out)
        } else {
            out.append(recipe.constants)
            writePreset(record, flags, into: &out)
            for member in recipe.members { member.write(event.stream, event.context, to: &out) }
            if flags.contains(.timed), !recipe.setsDuration {
                out.append("\"event_duration\":")
                out.appendFixed(Int64(record.detail), decimals: 3, trimmingZeros: true)
                out.append(UInt8(ascii: ","))
            }
        }
        writeHigh(recipe, event, view, flags, epoch, into: &out)
    }

    private func writeCommon(
        _ recipe: SensorsRecipe, _ optional: SensorsOptionalKeys, into out: inout WireBuffer
    ) {
        block.common.withUnsafeBytes { bytes in
            var start = 0
            for (key, end) in block.members {
                if !overrides(recipe, optional, key) {
                    out.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                }
                start = end
            }
        }
    }

    private func overrides(_ recipe: SensorsRecipe, _ optional: SensorsOptionalKeys, _ key: Int) -> Bool {
        if key < recipe.overrides.count, recipe.overrides[key] { return true }
        return optional.rawValue & book.optionalBits[key] != 0
    }

    private func writeDynamics(
        _ recipe: SensorsRecipe, _ event: SensorsEventDraws, _ optional: SensorsOptionalKeys,
        into out: inout WireBuffer
    ) {
        guard !recipe.dynamics.isEmpty else { return }
        // 1.x refuses the whole dictionary for one bad value.
        if !book.isNew, book.dynamicsDepend {
            for member in book.dynamics {
                var own = event.stream.child(member.ordinal)
                if member.value.isRefused(&own, subject: event.context.subject) { return }
            }
        }
        for member in recipe.dynamics
        where !recipe.mayDropDynamics || optional.rawValue & book.optionalBits[member.key] == 0 {
            member.write(event.stream, event.context, to: &out)
        }
    }

    /// A page's own properties, as far as the app has none of the same name.
    private func writePage(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ event: SensorsEventDraws,
        into out: inout WireBuffer
    ) {
        let page = Int(record.screen) < book.webMembers.count ? book.webMembers[Int(record.screen)] : []
        for member in page where !isTaken(member.key, recipe) && !recipe.overridesPage(member.key) {
            guard !recipe.members.contains(where: { $0.key == member.key }) else { continue }
            member.write(event.stream, event.context, to: &out)
        }
        for member in recipe.members where !isTaken(member.key, recipe) {
            member.write(event.stream, event.context, to: &out)
        }
    }

    /// Whether the app's properties on a page's event have a key.
    private func isTaken(_ key: Int, _ recipe: SensorsRecipe) -> Bool {
        if key == book.libKey || key == book.libVersionKey { return false }
        return key < block.present.count && block.present[key]
    }

    /// What the SDK itself gives its preset events.
    private func writePreset(_ record: EventRecord, _ flags: SensorsEventFlags, into out: inout WireBuffer) {
        switch record.template {
        case SensorsTemplates.appStart, SensorsTemplates.appStartPassively:
            out.append("\"$is_first_time\":")
            out.appendJSON(flags.contains(.firstTime))
            out.append(",\"$resume_from_background\":")
            out.appendJSON(flags.contains(.resumed))
            out.append(UInt8(ascii: ","))
        case SensorsTemplates.viewScreen:
            guard Int(record.screen) < book.screens.count else { return }
            out.append(book.screens[Int(record.screen)].common)
            out.append(book.screens[Int(record.screen)].url)
            guard Int(record.control) < book.screens.count else { return }
            out.append(book.screens[Int(record.control)].asReferrer)
        case SensorsTemplates.click:
            writeClick(record, into: &out)
        case SensorsTemplates.crashed:
            if book.crashReasons.isEmpty {
                out.append("\"app_crashed_reason\":\"unknown\",")
            } else {
                out.append(contentsOf: book.crashReasons[Int(record.detail) % book.crashReasons.count])
            }
        case SensorsTemplates.remoteConfigChanged:
            out.append(contentsOf: remoteConfig(record.detail))
        default: break
        }
    }

    private func writeClick(_ record: EventRecord, into out: inout WireBuffer) {
        guard Int(record.screen) < book.screens.count else { return }
        out.append(book.screens[Int(record.screen)].common)
        guard Int(record.control) < book.screens[Int(record.screen)].controls.count else { return }
        let control = book.screens[Int(record.screen)].controls[Int(record.control)]
        out.append(control.common)
        if let position = control.position {
            out.append(position)
            out.appendDecimal(UInt64(record.detail))
            out.append("\",")
        }
    }

    /// What is written over everything that the app gives.
    private func writeHigh(
        _ recipe: SensorsRecipe, _ event: SensorsEventDraws, _ view: SensorsEpochBlock.View,
        _ flags: SensorsEventFlags, _ epoch: SensorsEpoch, into out: inout WireBuffer
    ) {
        if recipe.kind != .signUp {
            if flags.contains(.firstDay) {
                out.append("\"$is_first_day\":true,")
            } else {
                out.append("\"$is_first_day\":false,")
            }
        }
        guard recipe.kind == .track || recipe.kind == .signUp && book.isNew else { return }
        if !book.isNew, epoch.startedPassively { out.append("\"$app_state\":\"background\",") }
        if book.rules.collectsOrientation {
            var orientation = event.stream.child(SensorsRecipeBook.Ordinal.orientation)
            // Phones are held upright nearly always.
            if orientation.chance(0.97) {
                out.append("\"$screen_orientation\":\"portrait\",")
            } else {
                out.append("\"$screen_orientation\":\"landscape\",")
            }
        }
        out.append(view.location)
    }

    /// Which of the keys that are not always there this event carries.
    private func optionalKeys(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ epoch: SensorsEpoch
    ) -> SensorsOptionalKeys {
        var keys: SensorsOptionalKeys = []
        guard recipe.kind != .web else { return keys }
        let flags = SensorsEventFlags(rawValue: record.flags)
        if flags.contains(.timed) { keys.insert(.duration) }
        if !book.isNew, epoch.startedPassively, recipe.kind == .track { keys.insert(.appState) }
        guard recipe.hasScreenDetail, Int(record.screen) < book.screens.count else { return keys }
        let screen = book.screens[Int(record.screen)]
        keys.formUnion(screen.keys)
        if record.template == SensorsTemplates.viewScreen {
            keys.formUnion(screen.urlKeys)
            if Int(record.control) < book.screens.count {
                keys.formUnion(book.screens[Int(record.control)].referrerKeys)
            }
        } else if Int(record.control) < screen.controls.count {
            keys.formUnion(screen.controls[Int(record.control)].keys)
        }
        return keys
    }
}
