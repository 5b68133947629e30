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
        let traits = block.prepare(index: index, epoch: epoch, traits: traits(), book: book)
        write(record, recipe, epoch: epoch, skew: traits.clockSkew, device: device, into: &out)
        if let flushTime {
            out.append(",\"_flush_time\":")
            out.appendDecimal(flushTime)
        }
        out.append(UInt8(ascii: "}"))
    }

    /// A sign-up carries the new account even if its epoch does not have it yet.
    func epoch(_ epoch: SensorsEpoch, of record: EventRecord) -> SensorsEpoch {
        guard record.template == SensorsTemplates.signUp, epoch.account == nil else { return epoch }
        var changed = epoch
        changed.account = record.detail
        return changed
    }

    /// Everything of an event but `_flush_time` and the closing brace.
    private func write(
        _ record: EventRecord, _ recipe: SensorsRecipe, epoch: SensorsEpoch, skew: Interval,
        device: UInt32, into out: inout WireBuffer
    ) {
        let flags = SensorsEventFlags(rawValue: record.flags)
        let event = SensorsEventDraws(record, flags, block, skew: skew)
        out.append(contentsOf: recipe.head)
        if recipe.kind == .item {
            recipe.itemID?.write(event.stream, event.context, to: &out)
        } else {
            if recipe.kind == .signUp { out.append(contentsOf: block.originalID) }
            out.append(contentsOf: block.identity)
        }
        out.append("\"time\":")
        out.appendDecimal(time(of: recipe, event))
        if recipe.kind != .item {
            out.append(",\"_track_id\":")
            var identifiers = block.trackIdentifiers.child(UInt64(record.sequence))
            out.appendDecimal(identifiers.next() >> 32)
        }
        if recipe.kind == .web, book.isNew { out.append(",\"_hybrid_h5\":true") }
        writeLifted(recipe, event, into: &out)
        writeLib(record, recipe, device: device, into: &out)
        guard recipe.hasProperties else {
            out.append(UInt8(ascii: "}"))
            return
        }
        out.append("},\"properties\":{")
        writeProperties(record, recipe, event, epoch: epoch, device: device, into: &out)
        if out.last == UInt8(ascii: ",") { out.truncate(to: out.count - 1) }
        out.append(UInt8(ascii: "}"))
    }

    /// Milliseconds on the device's clock. 4.x keeps the time at which a page made its event, some
    /// milliseconds before it came over the bridge; 1.x overwrites it.
    func time(of recipe: SensorsRecipe, _ event: SensorsEventDraws) -> Int64 {
        if let given = recipe.time ?? (recipe.kind.hasCommonProperties ? block.time : nil) { return given }
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
        _ record: EventRecord, _ recipe: SensorsRecipe, device: UInt32, into out: inout WireBuffer
    ) {
        if recipe.kind == .web {
            out.append(contentsOf: block.webLib)
            return
        }
        out.append(contentsOf: block.lib)
        out.append(contentsOf: recipe.libTail)
        if recipe.hasScreenDetail, Int(record.screen) < book.screens.count {
            out.append(UInt8(ascii: ","))
            out.append(contentsOf: book.screens[Int(record.screen)].libDetail)
        }
        if !recipe.kind.hasCommonProperties, book.plan.tagsEvents {
            out.append(UInt8(ascii: ","))
            writeTag(record, device: device, into: &out)
        }
    }

    /// `"bs_id":"17-3"`.
    func writeTag(_ record: EventRecord, device: UInt32, into out: inout WireBuffer) {
        out.append("\"bs_id\":\"")
        out.appendDecimal(UInt64(device))
        out.append(UInt8(ascii: "-"))
        out.appendDecimal(UInt64(record.sequence))
        out.append(UInt8(ascii: "\""))
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

    init(_ record: EventRecord, _ flags: SensorsEventFlags, _ block: SensorsEpochBlock, skew: Interval) {
        stream = block.properties.child(UInt64(record.sequence))
        var subject = record.detail
        // A duration takes the place of the entity, which is then beside it.
        if flags.contains(.timed) { subject = record.control == .max ? 0 : UInt32(record.control) }
        context = SensorsValue.Context(
            sequence: record.sequence, subject: subject, capturedAt: record.capturedAt + skew)
    }
}
