import AppModel
package import DeviceSDK
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
/// - view of a screen: `screen`; `control` is the screen that it refers to, `UInt16.max` for none.
/// - tap: `screen`, `control`; `detail` is the row in a list and what the control was set to, packed as in
///   ``ViewReference/detail``.
/// - business event, profile, item: `detail` is the entity. With the flag `timed`, `detail` is the
///   duration, and the entity is in `control` (`UInt16.max` for none).
/// - end of the app: `detail` is the duration in milliseconds with the flag `timed`.
/// - binding of an id, and its end: `detail` is the number of the app's binding.
/// - crash: `detail` is the reason. Change of the configuration: `detail` is the index into
///   what ``addRemoteConfig(_:)`` got. Sign-up: the epoch has the new account.
package final class SensorsEventEncoder {
    let catalogue: SensorsEventCatalogue
    let bridge: SensorsWebBridge
    let block = SensorsEpochBlock()
    /// Scratch memory of batches.
    var json = WireBuffer()
    var packed = WireBuffer()
    var coded = WireBuffer()
    let gzip: GzipEncoder
    /// Reads what was written; of items without ids alone.
    lazy var parser = JSONParser()
    /// What `$app_remote_config` quotes of the configurations, by ``EventRecord/detail``.
    private var remoteConfigs: [[UInt8]] = []
    /// The end of each event of a batch, `,"_flush_time":…}`, and the time that it tells.
    private var tail: (time: Int64, text: SensorsBytes)?
    private let tailArena = SensorsArena()
    /// What repeats in a batch, for the compressor.
    let repeats = RepeatLog()
    private let words: SensorsWords
    /// Whether local time is not the same on all devices at all times.
    private let hasZones: Bool
    private let utcOffset: Interval
    /// The zone of the device whose record came last: a batch is of one device.
    private var lastZone: (index: Int, table: UTCOffsets, skew: Interval)?
    /// Where the last event's time and its `bs_id` were written.
    private let occurrences = UnsafeMutablePointer<LastOccurrence>.allocate(capacity: 2)

    /// - Parameter gzip: Compresses bodies; by default as the rules say.
    package init(
        plan: PopulationPlan, rules: SensorsRules, templates: SensorsTemplates, gzip: GzipEncoder? = nil
    ) {
        catalogue = SensorsEventCatalogue(plan: plan, rules: rules, templates: templates)
        bridge = SensorsWebBridge(plan: plan)
        hasZones = plan.zones.differ
        utcOffset = plan.utcOffset
        words = SensorsWords(catalogue.arena)
        occurrences.initialize(repeating: LastOccurrence(), count: 2)
        self.gzip = gzip ?? GzipEncoder(batches: rules.upload.compression == .fast ? .fast : .small)
    }

    deinit { occurrences.deallocate() }

    /// - Parameter compression: libdeflate's level, 1 to 12, for comparisons.
    package convenience init(
        plan: PopulationPlan, rules: SensorsRules, templates: SensorsTemplates, compression: Int
    ) {
        self.init(plan: plan, rules: rules, templates: templates, gzip: GzipEncoder(level: compression))
    }

    /// ``SensorsWebBridge/acceptsWebEvent(screen:)``.
    package func acceptsWebEvent(screen: UInt16) -> Bool { bridge.acceptsWebEvent(screen: screen) }

    /// ``SensorsWebBridge/userAgentSuffix``.
    package var userAgentSuffix: String { bridge.userAgentSuffix }

    /// How far local time is ahead of UTC on a device when it captures a record.
    @inline(__always)
    func zone(_ index: Int, _ record: EventRecord) -> Interval {
        // Without a look at the plan: a copy of it costs more than all else here.
        hasZones ? zoneOffset(index, at: record.capturedAt) : utcOffset
    }

    private func zoneOffset(_ index: Int, at instant: Instant) -> Interval {
        if lastZone?.index != index {
            let plan = catalogue.plan
            lastZone = (index, plan.utcOffsets(index: index), plan.clockSkew(index: index))
        }
        // The zone changes when the device's clock shows the moment of the change.
        return lastZone.map { $0.table.offset(at: instant + $0.skew).offset } ?? utcOffset
    }

    /// Appends one event as a JSON object.
    ///
    /// - Parameters:
    ///   - epoch: What was true when the event was captured.
    ///   - index: The device's index in its population.
    ///   - device: The device's number in the run, for `bs_id`.
    ///   - flushTime: `_flush_time` in milliseconds on the device's clock; `nil` leaves it out.
    ///   - isNoted: Whether ``repeats`` gets to know what is written, as it does of a batch.
    package func encode(
        _ record: EventRecord, epoch: SensorsEpoch, traits: @autoclosure () -> SensorsTraits, index: Int,
        device: UInt32, flushTime: Int64?, isNoted: Bool = false, into out: inout WireBuffer
    ) {
        let template = catalogue.eventTemplates[Int(record.template)]
        let view = block.prepare(
            index: index, epoch: self.epoch(epoch, of: record), zone: zone(index, record), traits: traits,
            catalogue: catalogue)
        let event = SensorsEventDraws(record, view.pointee)
        var limit = template.limit + view.pointee.limit + catalogue.presetLimit + SensorsCursor.slack
        if record.template == SensorsTemplates.remoteConfigChanged {
            limit += remoteConfig(record.detail).count
        }
        let offset = out.count
        out.append(upTo: limit) { memory in
            var cursor = SensorsCursor(memory, log: isNoted ? repeats.open(origin: memory - offset) : nil)
            writeHead(template, event, view, to: &cursor)
            if template.kind == .web, catalogue.isVersion4 { cursor.put(",\"_hybrid_h5\":true") }
            if view.pointee.hasLifted || template.lifted.count > 0 {
                writeLifted(template, event, to: &cursor)
            }
            writeLib(record, template, view, device: device, to: &cursor)
            if template.hasProperties {
                cursor.put(words.properties)
                writeProperties(record, template, event, view, device: device, to: &cursor)
            } else {
                cursor.put(byte: UInt8(ascii: "}"))
            }
            if let flushTime {
                cursor.put(tail(flushTime))
            } else {
                cursor.put(byte: UInt8(ascii: "}"))
            }
            return cursor.count
        }
    }

    /// `,"_flush_time":…}`, which all events of a batch share.
    @inline(__always)
    private func tail(_ flushTime: Int64) -> SensorsBytes {
        if let tail, tail.time == flushTime { return tail.text }
        return makeTail(flushTime)
    }

    @inline(never)
    private func makeTail(_ flushTime: Int64) -> SensorsBytes {
        var text = WireBuffer(",\"_flush_time\":")
        text.appendDecimal(flushTime)
        text.append(UInt8(ascii: "}"))
        tailArena.removeAll()
        let kept = tailArena.keep(text)
        tail = (flushTime, kept)
        return kept
    }

    /// A sign-up carries the new account even if its epoch does not have it yet.
    @inline(__always)
    func epoch(_ epoch: SensorsEpoch, of record: EventRecord) -> SensorsEpoch {
        guard record.template == SensorsTemplates.signUp, epoch.account == nil else { return epoch }
        var changed = epoch
        changed.account = record.detail
        return changed
    }

    /// Type and name, who it was, when, and which.
    @inline(__always)
    private func writeHead(
        _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        _ view: UnsafePointer<SensorsEpochBlock.View>, to cursor: inout SensorsCursor
    ) {
        let time = time(of: template, event, view.pointee)
        cursor.put(template.head)
        if template.kind == .item {
            template.itemID.writeAll(event.stream, event.context, to: &cursor)
            cursor.put(words.time)
            cursor.put(time)
            return
        }
        var identifiers = view.pointee.trackIdentifiers.child(UInt64(event.sequence))
        let identifier = identifiers.next() >> 32
        if template.kind == .signUp { cursor.put(view.pointee.originalID) }
        if template.kind == .unbind {
            writeRemovedIdentity(event.context.subject, view.pointee, to: &cursor)
        } else {
            cursor.put(view.pointee.identity)
        }
        cursor.put(words.time)
        cursor.noteChance(occurrences)
        cursor.put(time)
        cursor.put(words.trackIdentifier)
        cursor.noteChance()
        cursor.put(identifier)
    }

    /// Of `$UnbindID`: no ids but the best one, and what it takes back.
    private func writeRemovedIdentity(
        _ binding: UInt32, _ view: borrowing SensorsEpochBlock.View, to cursor: inout SensorsCursor
    ) {
        cursor.put(view.distinctID)
        cursor.put("\"identities\":{")
        catalogue.bindings.write(Int(binding), view.bindings, .ofADevice, to: &cursor)
        cursor.dropComma()
        cursor.put("},")
    }

    /// Milliseconds on the device's clock. 4.x keeps the time at which a page made its event, some
    /// milliseconds before it came over the bridge; 1.x overwrites it.
    @inline(__always)
    func time(
        of template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws,
        _ view: borrowing SensorsEpochBlock.View
    ) -> Int64 {
        if let given = template.time { return given }
        if template.kind.hasCommonProperties, let given = view.time { return given }
        let time = event.context.capturedAt.milliseconds
        guard template.kind == .web, catalogue.isVersion4 else { return time }
        var delay = event.stream.child(SensorsEventCatalogue.Ordinal.webDelay)
        return time - 1 - Int64(delay.below(15))
    }

    private func writeLifted(
        _ template: SensorsEventTemplate, _ event: borrowing SensorsEventDraws, to cursor: inout SensorsCursor
    ) {
        var written: [String] = []
        for index in 0..<template.lifted.count where !written.contains(template.liftedNames[index]) {
            let start = cursor.count
            cursor.put(byte: UInt8(ascii: ","))
            template.lifted.write(index, event.stream, event.context, to: &cursor)
            // The member's own comma is behind it; a member that was dropped leaves only the first.
            cursor.truncate(to: max(start, cursor.count - 1))
            if cursor.count > start { written.append(template.liftedNames[index]) }
        }
        guard template.kind.hasCommonProperties, !block.lifted.isEmpty else { return }
        for (text, json) in block.lifted where !written.contains(text) {
            cursor.put(json)
        }
    }

    @inline(__always)
    private func writeLib(
        _ record: EventRecord, _ template: SensorsEventTemplate,
        _ view: UnsafePointer<SensorsEpochBlock.View>,
        device: UInt32, to cursor: inout SensorsCursor
    ) {
        if template.kind == .web {
            cursor.put(view.pointee.webLib)
            return
        }
        cursor.put(template.kind.hasCommonProperties ? view.pointee.lib : view.pointee.plainLib)
        let isElsewhere = !SensorsEventFlags(rawValue: record.flags).isDisjoint(with: [.resumed, .crashed])
        cursor.put(isElsewhere ? template.otherLibTail : template.libTail)
        if template.hasScreenDetail, Int(record.screen) < catalogue.screens.count {
            cursor.put(byte: UInt8(ascii: ","))
            cursor.put(catalogue.screens[Int(record.screen)].libDetail)
        }
        if !template.kind.hasCommonProperties, catalogue.tagsEvents {
            cursor.put(byte: UInt8(ascii: ","))
            writeTag(record, device: device, to: &cursor)
        }
    }

    /// `"bs_id":"17-3"`.
    @inline(__always)
    func writeTag(_ record: EventRecord, device: UInt32, to cursor: inout SensorsCursor) {
        cursor.put(words.tag)
        cursor.noteChance(occurrences + 1)
        cursor.put(UInt64(device))
        cursor.put(byte: UInt8(ascii: "-"))
        cursor.put(UInt64(record.sequence))
        cursor.put(byte: UInt8(ascii: "\""))
    }

    /// Adds the text of a configuration: the first is number 0.
    package func addRemoteConfig(_ text: String) {
        remoteConfigs.append(SensorsFragment("$app_remote_config", text).bytes)
    }

    /// `"$app_remote_config":"…",`.
    func remoteConfig(_ number: UInt32) -> [UInt8] {
        Int(number) < remoteConfigs.count ? remoteConfigs[Int(number)] : []
    }
}
