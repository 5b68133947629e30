import Timebase
package import Wire

/// Writes the JSON of events, and bodies of requests.
///
/// A pure function of the record, its epoch and the device, but for `_flush_time`: the same event
/// has the same bytes each time. The order of members is fixed. Holds what is rendered beforehand
/// and buffers that are reused, so it belongs to one thread; in steady state (a device's events
/// under one epoch) writing an event allocates nothing.
///
/// What a record's fields mean, by template:
/// - view of a screen: `screen`; `control` is the screen before it, `UInt16.max` for none.
/// - tap: `screen`, `control`; `detail` is the row in a list.
/// - business event, profile, item: `detail` is the entity. With the flag `timed`, `detail` is the
///   duration, and the entity is in `control` (`UInt16.max` for none).
/// - end of the app: `detail` is the duration in milliseconds with the flag `timed`.
/// - crash: `detail` is the reason. Change of the configuration: `detail` is the index into
///   ``remoteConfigTexts``. Sign-up: the epoch has the new account.
package final class SensorsEventEncoder {
    let book: SensorsRecipeBook
    let bridge: SensorsWebBridge
    let block = SensorsEpochBlock()
    /// Scratch memory of batches.
    var json = WireBuffer()
    var packed = WireBuffer()
    var coded = WireBuffer()
    let gzip: GzipEncoder
    private var rendersConfig: [[UInt8]] = []

    /// The configurations' texts that `$app_remote_config` quotes, by ``EventRecord/detail``.
    package var remoteConfigTexts: [String] = [] {
        didSet {
            rendersConfig = remoteConfigTexts.map { SensorsFragment("$app_remote_config", $0).bytes }
        }
    }

    /// - Parameter compression: libdeflate's level, 1 to 12; 6 is as small as the SDK's own.
    package init(
        plan: PopulationPlan, rules: SensorsRules, templates: SensorsTemplates, compression: Int = 6
    ) {
        book = SensorsRecipeBook(plan: plan, rules: rules, templates: templates)
        bridge = SensorsWebBridge(plan: plan)
        gzip = GzipEncoder(level: compression)
    }

    /// ``SensorsWebBridge/acceptsWebEvent(screen:)``.
    package func acceptsWebEvent(screen: UInt16) -> Bool { bridge.acceptsWebEvent(screen: screen) }

    /// ``SensorsWebBridge/userAgentSuffix``.
    package var userAgentSuffix: String { bridge.userAgentSuffix }

    /// Appends one event as a JSON object.
    ///
    /// - Parameters:
    ///   - epoch: What was true when the event was captured.
    ///   - index: The device's index in its population.
    ///   - device: The device's number in the run, for `bs_id`.
    ///   - flushTime: `_flush_time` in milliseconds on the device's clock; `nil` leaves it out.
    package func encode(
        _ record: EventRecord, epoch: SensorsEpoch, traits: @autoclosure () -> SensorsTraits, index: Int,
        device: UInt32, flushTime: Int64?, into out: inout WireBuffer
    ) {
        let recipe = book.recipes[Int(record.template)]
        let epoch = self.epoch(epoch, of: record)
        let view = block.prepare(index: index, epoch: epoch, traits: traits(), book: book)
        let event = SensorsEventDraws(record, view)
        writeHead(recipe, event, view, into: &out)
        if recipe.kind == .web, book.isNew { out.append(",\"_hybrid_h5\":true") }
        if view.hasLifted || !recipe.lifted.isEmpty { writeLifted(recipe, event, into: &out) }
        writeLib(record, recipe, view, device: device, into: &out)
        if recipe.hasProperties {
            out.append("},\"properties\":{")
            writeProperties(record, recipe, event, view, epoch: epoch, device: device, into: &out)
        } else {
            out.append(UInt8(ascii: "}"))
        }
        writeEnd(flushTime: flushTime, into: &out)
    }

    /// Closes the event.
    private func writeEnd(flushTime: Int64?, into out: inout WireBuffer) {
        out.append(upTo: 20 + SensorsCursor.digits) { memory in
            var cursor = SensorsCursor(memory)
            if let flushTime {
                cursor.put(",\"_flush_time\":")
                cursor.put(flushTime)
            }
            cursor.put("}" as StaticString)
            return cursor.count
        }
    }

    /// A sign-up carries the new account even if its epoch does not have it yet.
    func epoch(_ epoch: SensorsEpoch, of record: EventRecord) -> SensorsEpoch {
        guard record.template == SensorsTemplates.signUp, epoch.account == nil else { return epoch }
        var changed = epoch
        changed.account = record.detail
        return changed
    }

    /// Type and name, who it was, when, and which.
    private func writeHead(
        _ recipe: SensorsRecipe, _ event: SensorsEventDraws, _ view: SensorsEpochBlock.View,
        into out: inout WireBuffer
    ) {
        let time = time(of: recipe, event, view)
        if recipe.kind == .item {
            out.append(recipe.head)
            recipe.itemID?.write(event.stream, event.context, to: &out)
            out.append("\"time\":")
            out.appendDecimal(time)
            return
        }
        var identifiers = view.trackIdentifiers.child(UInt64(event.context.sequence))
        let identifier = identifiers.next() >> 32
        let pieces = recipe.head.count + view.originalID.count + view.identity.count
        out.append(upTo: pieces + 2 * SensorsCursor.digits + 24) { memory in
            var cursor = SensorsCursor(memory)
            cursor.put(recipe.head)
            if recipe.kind == .signUp { cursor.put(view.originalID) }
            cursor.put(view.identity)
            cursor.put("\"time\":")
            cursor.put(time)
            cursor.put(",\"_track_id\":")
            cursor.put(identifier)
            return cursor.count
        }
    }

    /// Milliseconds on the device's clock. 4.x keeps the time at which a page made its event, some
    /// milliseconds before it came over the bridge; 1.x overwrites it.
    func time(
        of recipe: SensorsRecipe, _ event: SensorsEventDraws, _ view: SensorsEpochBlock.View
    ) -> Int64 {
        if let given = recipe.time ?? (recipe.kind.hasCommonProperties ? view.time : nil) { return given }
        let time = event.context.capturedAt.milliseconds
        guard recipe.kind == .web, book.isNew else { return time }
        var delay = event.stream.child(SensorsRecipeBook.Ordinal.webDelay)
        return time - 1 - Int64(delay.below(15))
    }

    private func writeLifted(_ recipe: SensorsRecipe, _ event: SensorsEventDraws, into out: inout WireBuffer)
    {
        for member in recipe.lifted {
            let start = out.count
            out.append(UInt8(ascii: ","))
            member.write(event.stream, event.context, to: &out)
            // The member's own comma is behind it; a member that was dropped leaves only the first.
            out.truncate(to: max(start, out.count - 1))
        }
        guard recipe.kind.hasCommonProperties, !block.lifted.isEmpty else { return }
        for (text, json) in block.lifted where !recipe.lifted.contains(where: { $0.text == text }) {
            out.append(contentsOf: json)
        }
    }

    private func writeLib(
        _ record: EventRecord, _ recipe: SensorsRecipe, _ view: SensorsEpochBlock.View, device: UInt32,
        into out: inout WireBuffer
    ) {
        if recipe.kind == .web {
            out.append(view.webLib)
            return
        }
        var detail = SensorsBytes()
        if recipe.hasScreenDetail, Int(record.screen) < book.screens.count {
            detail = book.screens[Int(record.screen)].libDetail
        }
        out.append(upTo: view.lib.count + recipe.libTail.count + detail.count + 1) { memory in
            var cursor = SensorsCursor(memory)
            cursor.put(view.lib)
            cursor.put(recipe.libTail)
            if detail.count > 0 { cursor.put("," as StaticString) }
            cursor.put(detail)
            return cursor.count
        }
        if !recipe.kind.hasCommonProperties, book.tagsEvents {
            out.append(UInt8(ascii: ","))
            writeTag(record, device: device, into: &out)
        }
    }

    /// `"bs_id":"17-3"`.
    func writeTag(_ record: EventRecord, device: UInt32, into out: inout WireBuffer) {
        out.append(upTo: 2 * SensorsCursor.digits + 16) { memory in
            var cursor = SensorsCursor(memory)
            cursor.put("\"bs_id\":\"")
            cursor.put(UInt64(device))
            cursor.put("-" as StaticString)
            cursor.put(UInt64(record.sequence))
            cursor.put("\"" as StaticString)
            return cursor.count
        }
    }

    /// `"$app_remote_config":"…",`.
    func remoteConfig(_ number: UInt32) -> [UInt8] {
        Int(number) < rendersConfig.count ? rendersConfig[Int(number)] : []
    }
}

/// What an event's values are drawn from.
struct SensorsEventDraws {
    let stream: RandomStream
    let context: SensorsValue.Context

    init(_ record: EventRecord, _ view: SensorsEpochBlock.View) {
        stream = view.properties.child(UInt64(record.sequence))
        var subject = record.detail
        // A duration takes the place of the entity, which is then beside it.
        if SensorsEventFlags(rawValue: record.flags).contains(.timed) {
            subject = record.control == .max ? 0 : UInt32(record.control)
        }
        context = SensorsValue.Context(
            sequence: record.sequence, subject: subject, capturedAt: record.capturedAt + view.skew)
    }
}
