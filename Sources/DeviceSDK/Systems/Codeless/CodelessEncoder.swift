import Accounting
import AppModel
import DeviceSDK
import Timebase
import Wire

/// Writes batches of events in the project's own schema, `codeless.proto`: the text says protobuf, and
/// which fields an event has, but nothing of their numbers.
///
/// A pure function of the record, its epoch and the device: an event has the same bytes each time. Fields
/// are in the order of their numbers; empty ones are left out, as proto3 has it.
struct CodelessEncoder: Sendable {
    private let table: CodelessViewTable
    private let views: AppViews
    private let streams: PopulationStreams
    private let sampler: PropertySampler
    private let appKey: String
    private let tagsEvents: Bool

    init(plan: PopulationPlan, views: AppViews) {
        table = CodelessViewTable(views: views)
        self.views = views
        streams = plan.streams
        sampler = PropertySampler(app: plan.app)
        appKey = plan.codelessAppKey
        tagsEvents = plan.tagsEvents
    }

    /// 32 hexadecimal digits from a stream's next two draws.
    static func identifier(_ stream: inout RandomStream) -> String {
        var text = WireBuffer()
        Hash128(high: stream.next(), low: stream.next()).appendHexadecimal(to: &text)
        return text.text
    }

    /// `deviceId`: the identifier for vendors, a new one for each installation.
    static func deviceID(_ streams: PopulationStreams, index: Int, installation: UInt8) -> String {
        let identity = streams.stream(.identity, index: index)
        return DeviceUUID(
            stream: installation == 0 ? identity : identity.child(5 << 32 | UInt64(installation))
        ).text
    }

    private func deviceID(index: Int, installation: UInt8) -> String {
        Self.deviceID(streams, index: index, installation: installation)
    }

    /// `sessionId` of a device's session.
    func sessionID(_ session: UInt32, index: Int) -> String {
        // Apart from the children that accounts have.
        var stream = streams.stream(.identity, index: index).child(1 << 33 | UInt64(session))
        return Self.identifier(&stream)
    }

    /// Appends what comes before the events of a batch.
    func beginBatch(index: Int, installation: UInt8, eventsID: String, into out: inout WireBuffer) {
        out.appendProtobufField(1, string: appKey)
        out.appendProtobufField(2, string: deviceID(index: index, installation: installation))
        out.appendProtobufField(3, string: eventsID)
    }

    /// Appends an event to a batch.
    ///
    /// - Parameters:
    ///   - sessionID: ``sessionID(_:index:)`` of the epoch's session.
    ///   - data: The configuration that was in force.
    ///   - index: The device's index in its population.
    ///   - device: The device's number in the run, for `bs_id`.
    ///   - skew: How far its clock is ahead.
    func encode(
        _ record: EventRecord, epoch: CodelessEpoch, sessionID: String, data: CodelessBusinessData,
        index: Int, device: UInt32, skew: Interval, into out: inout WireBuffer
    ) {
        guard let template = CodelessTemplate(rawValue: record.template) else { return }
        let clock = record.capturedAt + skew
        out.appendProtobufField(4) { event in
            event.appendProtobufField(1, string: template.name)
            event.appendProtobufField(2, int64: clock.milliseconds)
            event.appendProtobufField(3, string: sessionID)
            writeView(of: record, template, to: &event)
            let stream = streams.stream(.properties, index: index).child(UInt64(record.sequence))
            event.appendProtobufField(
                11,
                map: data.data(
                    of: record, version: epoch.appVersion, stream: stream, clock: clock,
                    sampler: sampler, views: views))
            if tagsEvents {
                let id = EventID(device: device, sequence: record.sequence)
                event.appendProtobufField(15, string: id.text)
            }
        }
    }

    /// Fields 4 to 10: what the event tells of its view.
    private func writeView(
        of record: EventRecord, _ template: CodelessTemplate, to event: inout WireBuffer
    ) {
        let view = ViewReference(screen: record.screen, node: record.control, detail: record.detail)
        event.appendPresent(4, table.pageName(view, isPage: !template.hasViewInfo))
        guard template.hasViewInfo else { return }
        event.appendProtobufField(5) { table.writeInfo(of: view, views: views, to: &$0) }
        if template == .listItemClick { event.appendPresent(6, indexPath(view)) }
        switch template {
        case .webViewStart, .webViewFinish, .webViewFail:
            event.appendPresent(7, url(view))
            if record.flags > 0 { event.appendPresent(8, WebLoadError.allCases[Int(record.flags) - 1].text) }
        case .alertClick:
            guard let alert = views.control(of: view)?.alert else { return }
            event.appendPresent(9, alert.title)
            event.appendPresent(10, alert.message)
        default: break
        }
    }

    private func indexPath(_ view: ViewReference) -> String { "\(views.node(view).section):\(view.row)" }

    private func url(_ view: ViewReference) -> String {
        views.app.screens[Int(view.screen)].web?.url ?? ""
    }

    /// The key by which a collector knows an event without `bs_id`: the hash of the UTF-8 of device_id,
    /// session_id, event_name, event_time, page_name, view_id, index_path and url, joined by U+001F, each
    /// empty where the event has none.
    ///
    /// `events_id` is not in it: an event whose file is sent twice has two of them.
    func naturalKey(
        _ record: EventRecord, epoch: CodelessEpoch, index: Int, installation: UInt8, skew: Interval
    ) -> Hash128 {
        guard let template = CodelessTemplate(rawValue: record.template) else {
            return Hash128(high: 0, low: 0)
        }
        let view = ViewReference(screen: record.screen, node: record.control, detail: record.detail)
        let isWeb = [.webViewStart, .webViewFinish, .webViewFail].contains(template)
        let parts = [
            deviceID(index: index, installation: installation), sessionID(epoch.session, index: index),
            template.name,
            String((record.capturedAt + skew).milliseconds),
            table.pageName(view, isPage: !template.hasViewInfo),
            template.hasViewInfo ? table.viewID(of: view) : "",
            template == .listItemClick ? indexPath(view) : "", isWeb ? url(view) : "",
        ]
        return WireBuffer(parts.joined(separator: "\u{1F}")).withUnsafeBytes { Hash128($0) }
    }
}

extension WireBuffer {
    /// Appends a field of type string, unless it is empty.
    mutating func appendPresent(_ number: UInt32, _ text: String) {
        if !text.isEmpty { appendProtobufField(number, string: text) }
    }
}
