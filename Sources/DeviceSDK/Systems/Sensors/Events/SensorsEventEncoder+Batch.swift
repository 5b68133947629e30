import Accounting
package import DeviceSDK
package import Timebase
package import Wire

extension SensorsEventEncoder {
    /// Appends the body of an upload: `crc=%d&gzip=1&data_list=%@`, the events' JSON array through
    /// gzip, base64 and percent-encoding; the check sum is over the base64 text.
    ///
    /// - Parameters:
    ///   - records: In the order in which the store gives them.
    ///   - index: The device's index in its population.
    ///   - number: The device's number in the run.
    ///   - now: The time of the attempt, which `_flush_time` tells by the device's clock.
    package func encodeBatch(
        _ records: some Collection<EventRecord>, index: Int, number: UInt32,
        epochs: EpochLog<SensorsEpoch>, at now: Instant, into body: inout WireBuffer
    ) {
        json.removeAll()
        repeats.removeAll()
        encodeList(
            records, index: index, number: number, epochs: epochs, at: now, isNoted: gzip.takesNotes,
            into: &json)
        writeForm(isNoted: gzip.takesNotes, into: &body)
    }

    /// Appends the events' JSON array as it is in an upload; see ``encodeBatch(_:index:number:epochs:at:into:)``.
    func encodeList(
        _ records: some Collection<EventRecord>, index: Int, number: UInt32,
        epochs: EpochLog<SensorsEpoch>, at now: Instant, isNoted: Bool = false, into list: inout WireBuffer
    ) {
        let traits = SensorsTraits(plan: catalogue.plan, index: index)
        let flushTime = traits.clockMilliseconds(at: now)
        list.append(UInt8(ascii: "["))
        var isFirst = true
        for record in records {
            if !isFirst { list.append(UInt8(ascii: ",")) }
            isFirst = false
            encode(
                record, epoch: epochs[record.epoch], traits: traits, index: index, device: number,
                flushTime: flushTime, isNoted: isNoted, into: &list)
        }
        list.append(UInt8(ascii: "]"))
    }

    /// An event as the SDK stores it: its JSON as of the capture, without `_flush_time`.
    func content<Store>(
        _ record: EventRecord, epoch: SensorsEpoch, _ device: borrowing SensorsDevice<Store>
    ) -> WireBuffer {
        let index = Int(device.index)
        json.removeAll()
        encode(
            record, epoch: epoch, traits: SensorsTraits(plan: catalogue.plan, index: index), index: index,
            device: device.number, flushTime: nil, into: &json)
        return json
    }

    /// Appends the body of an upload made from stored events: the same bytes as ``encodeBatch(_:index:number:epochs:at:into:)``
    /// makes of their records. The SDK reads each row's JSON, adds `_flush_time`, and joins them.
    ///
    /// What repeats in it is known from the records, where what is stored is what they say.
    func encodeBatch(
        stored: SensorsContents, of records: some Collection<EventRecord>, index: Int, number: UInt32,
        epochs: EpochLog<SensorsEpoch>, at now: Instant, into body: inout WireBuffer
    ) {
        json.removeAll()
        guard gzip.takesNotes else {
            encodeList(stored: stored, index: index, at: now, into: &json)
            return writeForm(into: &body)
        }
        repeats.removeAll()
        encodeList(
            records, index: index, number: number, epochs: epochs, at: now, isNoted: true, into: &json)
        var list = WireBuffer(capacity: json.count)
        encodeList(stored: stored, index: index, at: now, into: &list)
        let isSame = json == list
        if !isSame { json = list }
        writeForm(isNoted: isSame, into: &body)
    }

    /// Appends the JSON array of stored events; see ``encodeBatch(stored:of:index:number:epochs:at:into:)``.
    func encodeList(stored: SensorsContents, index: Int, at now: Instant, into list: inout WireBuffer) {
        let flushTime = SensorsTraits(plan: catalogue.plan, index: index).clockMilliseconds(at: now)
        list.append(UInt8(ascii: "["))
        var isFirst = true
        for event in stored.events {
            if !isFirst { list.append(UInt8(ascii: ",")) }
            isFirst = false
            // An object without its closing brace.
            list.append(contentsOf: event.dropLast())
            list.append(",\"_flush_time\":")
            list.appendDecimal(flushTime)
            list.append(UInt8(ascii: "}"))
        }
        list.append(UInt8(ascii: "]"))
    }

    /// The form around what is in ``json``.
    ///
    /// - Parameter isNoted: Whether ``repeats`` knows what is in it.
    func writeForm(isNoted: Bool = false, into body: inout WireBuffer) {
        packed.removeAll()
        if isNoted {
            gzip.compress(json, repeating: repeats, into: &packed)
        } else {
            gzip.compress(json, into: &packed)
        }
        coded.removeAll()
        let encoding = catalogue.isVersion4 ? PercentEncoding.sensorsModern : PercentEncoding.sensorsLegacy
        let hash = packed.withUnsafeBytes { encoding.encodeBase64(of: $0, into: &coded) }
        body.append("crc=")
        body.appendDecimal(Int64(hash))
        body.append("&gzip=1&data_list=")
        body.append(contentsOf: coded)
    }

    /// `distinct_id` under an epoch. Allocates.
    package func distinctID(epoch: SensorsEpoch, traits: SensorsTraits) -> String {
        var buffer = WireBuffer()
        if let account = epoch.account {
            traits.appendLoginID(account, to: &buffer)
        } else {
            traits.anonymousID(epoch).append(to: &buffer)
        }
        return buffer.text
    }

    /// The key by which a collector knows an event without `bs_id`: the hash of the UTF-8 of
    /// type, distinct_id, _track_id, time and event, joined by U+001F (the event's name empty for
    /// profile changes); of an item, the hash of its JSON in normal form, without `_flush_time`.
    package func naturalKey(
        _ record: EventRecord, epoch: SensorsEpoch, traits: @autoclosure () -> SensorsTraits, index: Int,
        device: UInt32
    ) -> Hash128 {
        let template = catalogue.eventTemplates[Int(record.template)]
        json.removeAll()
        if template.kind == .item {
            encode(
                record, epoch: epoch, traits: traits(), index: index, device: device, flushTime: nil,
                into: &json)
            return normalHash(of: json)
        }
        let epoch = self.epoch(epoch, of: record)
        let view = block.prepare(
            index: index, epoch: epoch, zone: zone(index, record), traits: traits, catalogue: catalogue)
        let event = SensorsEventDraws(record, view.pointee)
        let label = catalogue.labels.labels[Int(record.template)]
        let separator: UInt8 = 0x1F
        json.append(label.type)
        json.append(separator)
        json.append(contentsOf: block.distinctID)
        json.append(separator)
        var identifiers = view.pointee.trackIdentifiers.child(UInt64(record.sequence))
        json.appendDecimal(identifiers.next() >> 32)
        json.append(separator)
        json.appendDecimal(time(of: template, event, view.pointee))
        json.append(separator)
        json.append(label.name)
        return json.withUnsafeBytes { Hash128($0) }
    }

    /// The hash of an object's normal form: the SDK escapes slashes and writes the decimals that it is told to, and
    /// neither says anything of the object.
    private func normalHash(of object: WireBuffer) -> Hash128 {
        var normal = WireBuffer()
        let key = object.withUnsafeBytes { bytes in
            // The encoder's own text is JSON.
            try? parser.withParsed(bytes) { value -> Hash128 in
                value.appendJSON(to: &normal)
                return normal.withUnsafeBytes { Hash128($0) }
            }
        }
        return key ?? object.withUnsafeBytes { Hash128($0) }
    }
}
