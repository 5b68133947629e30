import Accounting
package import DeviceSDK
package import Timebase
package import Wire
import World

/// From a tick or an instant event to a request (`sendEventsOfChannel_unsafe:`).
extension GrowingSystem {
    /// `sendAllChannelEvents`: writes the timing store's buffer, and sends what each channel has.
    mutating func sendAll(
        _ device: inout Device, due: Instant, now: Instant, effects: inout DeviceEffects
    ) {
        flush(.timing, of: &device, effects: &effects)
        if !device.retry.isQuiet(at: now) { device.retry.takeDue() }
        for channel in routes.channels.indices {
            send(channel, of: &device, due: due, now: now, effects: &effects)
        }
    }

    /// Sends a channel's next batch, unless one is under way; of an own policy, as many as may be.
    mutating func send(
        _ channel: Int, of device: inout Device, due: Instant, now: Instant, effects: inout DeviceEffects
    ) {
        for _ in 0..<rules.upload.concurrency {
            guard sendBatch(of: channel, of: &device, due: due, now: now, effects: &effects) else { return }
        }
    }

    /// Whether a channel has as many uploads under way as it may have.
    private func isBusy(_ channel: Int, _ device: borrowing Device) -> Bool {
        guard device.uploadingChannels & 1 << UInt32(channel) != 0 else { return false }
        let count = device.requests.reduce(0) { $0 + (Int($1.channel) == channel ? 1 : 0) }
        // Without any, the flag is one that nobody lowers.
        return count == 0 || count >= rules.upload.concurrency
    }

    /// - Returns: Whether there is a request.
    private mutating func sendBatch(
        of channel: Int, of device: inout Device, due: Instant, now: Instant, effects: inout DeviceEffects
    ) -> Bool {
        let isCustom = routes.channels[channel].isCustom
        if hasQueue && !isCustom && queueCount(of: device) == 0 { return false }
        let network = device.epochs.current.network
        guard !isBusy(channel, device), networkMask.contains(network), !device.retry.isQuiet(at: now) else {
            return false
        }
        let (mask, countsBytes) = policyMask(of: &device, network: network, now: now)
        let rows = batch(of: channel, mask: mask, on: &device)
        guard !rows.isEmpty else { return false }
        guard services.network != nil else {
            // 3.x has raised the flag before it looks for the service, and nobody lowers it again.
            if !rules.isVersion4 { device.uploadingChannels |= 1 << UInt32(channel) }
            return false
        }
        device.uploadingChannels |= 1 << UInt32(channel)
        let number = RequestNumber(kind: .upload, number: device.uploadCount)
        device.uploadCount += 1
        var request = GrowingRequest(
            number: number, channel: UInt8(channel), store: kind(isCustom), rows: rows, plannedAt: due)
        request.countsBytes = countsBytes
        device.update(request, mark: nil) { $0.inFlight += $0.inFlight < .max ? 1 : 0 }
        device.requests.append(request)
        startRequests(of: &device, effects: &effects)
        return true
    }

    func kind(_ isCustom: Bool) -> GrowingStoreKind { isCustom ? .realtime : .timing }

    /// Which policies may be sent on a network, and whether the bytes count for the day's budget.
    private mutating func policyMask(
        of device: inout Device, network: NetworkKind, now: Instant
    ) -> (mask: UInt8, countsBytes: Bool) {
        guard network != .wifi else { return (7, false) }
        let isWithin = trafficBytes(of: &device, now: now) < UInt64(max(0, rules.upload.cellularLimit))
        return isWithin ? (3, true) : (1, false)
    }

    /// The oldest events that a channel may send now.
    private mutating func batch(
        of channel: Int, mask: UInt8, on device: inout Device
    ) -> ContiguousArray<EventRecord> {
        let isCustom = routes.channels[channel].isCustom
        let limit = device.retry.limit(rules.upload.batch)
        let (bits, routes) = (policyBits, routes)
        let sparesCarried = rules.upload.concurrency > 1
        let unloaded = isCustom ? 0..<0 : device.queue.unloaded
        func isWanted(_ row: EventRecord) -> Bool {
            bits[Int(row.template)] & mask != 0 && routes.takes(row.template, channel: channel)
                && (sparesCarried ? row.inFlight == 0 : row.inFlight < .max)
        }
        var rows = ContiguousArray<EventRecord>()
        device[kind(isCustom)].table.select { row in
            if isWanted(row) && !unloaded.contains(row.sequence) { rows.append(row) }
            return rows.count < limit
        }
        if !isCustom && !device.queue.extra.isEmpty {
            rows += device.queue.extra.filter(isWanted)
            rows.sort { $0.sequence < $1.sequence }
            if rows.count > limit { rows.removeLast(rows.count - limit) }
        }
        if let limit = rules.upload.maxBytes, measuring.isNeeded(for: rows, limit: limit) {
            cut(&rows, below: limit, channel: channel, on: device)
        }
        return rows
    }

    /// 4.x: leaves out the event with which the stored bytes would reach the limit, and all after it. One
    /// that is too large by itself holds the channel up for ever.
    private mutating func cut(
        _ rows: inout ContiguousArray<EventRecord>, below limit: Int, channel: Int,
        on device: borrowing Device
    ) {
        let form = form(of: channel)
        var bytes = 0
        for (index, row) in rows.enumerated() {
            let event = event(row, of: device)
            bytes += encoder.storedSize(
                event, order: watchers(Int(device.index), process: event.epoch.process), as: form)
            guard bytes >= limit else { continue }
            rows.removeLast(rows.count - index)
            return
        }
    }

    func form(of channel: Int) -> GrowingEncoder.Form {
        rules.usesProtobuf && routes.dialects[channel] == .v3 ? .message : .json
    }

    package mutating func timeout(of request: GrowingRequest) -> Interval {
        services.network?.timeout ?? rules.upload.timeout
    }
}

/// Bodies and heads (`GrowingEventRequest.m` and its adapters).
extension GrowingSystem {
    package mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        let stm = (now + encoder.skew(Int(device.index))).milliseconds
        guard let index = device.requests.firstIndex(where: { $0.number == request }) else {
            return RequestHead(
                method: .post,
                path: endpoints.path(endpoints.path(template: GrowingChannel.template), stm: stm),
                headerLines: endpoints.headerLines(after: ""))
        }
        let open = device.requests[index]
        let channel = Int(open.channel)
        let process = device.epochs.current.process
        var list = WireBuffer()
        swap(&list, &plain)
        list.removeAll()
        append(open.rows, of: device, as: form(of: channel), to: &list)
        swap(&list, &plain)
        var head = RequestHead(
            method: .post, path: path(of: channel, device: device, process: process, stm: stm),
            headerLines: pack(channel, stm: stm, sentAt: timestamp(stm, open, device)))
        body.append(contentsOf: packed)
        device.requests[index].bytes = UInt64(packed.count)
        head.headerLines = endpoints.headerLines(after: head.headerLines)
        services.network?.prepare(&head)
        return head
    }

    /// Appends what is in a body before it is compressed.
    func append(
        _ rows: ContiguousArray<EventRecord>, of device: borrowing Device, as form: GrowingEncoder.Form,
        to list: inout WireBuffer
    ) {
        for (index, row) in rows.enumerated() {
            if form == .json { list.append(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ",")) }
            let event = event(row, of: device)
            encoder.append(
                event, order: watchers(Int(device.index), process: event.epoch.process), as: form,
                into: &list)
        }
        if form == .json { list.append(UInt8(ascii: "]")) }
    }

    /// The channel's path, unless an interceptor replaces the request (3.x).
    private func path(
        of channel: Int, device: borrowing Device, process: UInt32, stm: Int64
    ) -> String {
        // What no interceptor may replace was put together beforehand.
        var template: String?
        if !rules.isVersion4 {
            for interceptor in order(Int(device.index), process: process) {
                guard let other = interceptors[interceptor].requestTemplate(for: routes.channels[channel])
                else {
                    continue
                }
                template = other
                break
            }
        }
        let path = template.map { endpoints.path(template: $0) } ?? carriedHeads[channel].path
        return endpoints.path(path, stm: stm)
    }

    /// `X-Timestamp` is taken apart from `stm`, some milliseconds later.
    private func timestamp(_ stm: Int64, _ request: GrowingRequest, _ device: borrowing Device) -> Int64 {
        var draw = streams.stream(.retries, index: Int(device.index))
            .child(1 << 40 | UInt64(request.number.number))
        return stm + Int64(draw.below(4))
    }

    /// Compresses, then encrypts what is in ``plain`` into ``packed``.
    ///
    /// - Returns: The lines of the head.
    private mutating func pack(_ channel: Int, stm: Int64, sentAt: Int64) -> String {
        let isShort = routes.dialects[channel] == .v2
        let compression: (any GrowingCompressionService)? =
            isShort ? services.compression ?? GrowingLZ4() : services.compression
        let encryption: (any GrowingEncryptionService)? =
            isShort ? services.encryption ?? GrowingXOR() : services.encryption
        var lines = "Content-Type: \(contentType(of: channel))\r\nAccept: application/json\r\n"
        lines += "X-Timestamp: \(sentAt)\r\n"
        packed.removeAll()
        if let compression {
            compression.compress(plain, into: &packed)
            if let codec = compression.codec { lines += "X-Compress-Codec: \(codec)\r\n" }
        } else {
            packed.append(contentsOf: plain)
        }
        if let encryption {
            encryption.encryptEventData(&packed, factor: UInt8(truncatingIfNeeded: stm))
            if let codec = encryption.codec { lines += "X-Crypt-Codec: \(codec)\r\n" }
        }
        return lines
    }

    private func contentType(of channel: Int) -> String {
        if routes.dialects[channel] == .v2 { return "application/octet-stream" }
        return rules.usesProtobuf ? "application/protobuf" : "application/json"
    }
}
