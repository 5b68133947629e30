import Accounting
import AppModel
import DeviceSDK
import Timebase
import Wire

/// Writes the JSON of TrackingSDK's events and the bodies of its requests: `uploadEventsToServer:` makes
/// an array of `{"event_name":…,"parameters":{…},"timestamp":…}`, with the time as seconds since 1970.
///
/// A pure function of the record and the device: an event has the same bytes each time. The order of
/// members is fixed, where the SDK's dictionaries have any.
struct TrackingSDKEncoder: Sendable {
    /// `{"event_name":"PageView","parameters":{` of each template.
    private let heads: [[UInt8]]
    /// The parameters of `AppLaunch` as members, by the app's version.
    private let launches: [[UInt8]]
    private let views: TrackingSDKViewParameters
    private let business: [TrackingSDKParameters]
    /// By business event: whether the app's code sends the event before once more, with its values.
    private let repeats: [Bool]
    private let streams: PopulationStreams
    private let tagsEvents: Bool

    init(plan: PopulationPlan, labels: [EventLabel], views: AppViews) {
        let app = plan.app
        heads = labels.map { label in
            var head = WireBuffer("{\"event_name\":")
            head.appendJSONString(label.name, slashes: .escaped)
            head.append(",\"parameters\":{")
            return head.bytes
        }
        launches = app.versions.map { Self.members(["version": $0]) }
        self.views = TrackingSDKViewParameters(views: views)
        let sampler = PropertySampler(app: app)
        business = app.events.map { TrackingSDKParameters($0.properties, sampler: sampler) }
        repeats = app.events.map { $0.variant?.repeats ?? false }
        streams = plan.streams
        tagsEvents = plan.tagsEvents
    }

    /// `"key":"text",…`.
    static func members(_ members: KeyValuePairs<StaticString, String>) -> [UInt8] {
        var json = WireBuffer()
        for (index, member) in members.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "\""))
            json.append(member.key)
            json.append("\":")
            json.appendJSONString(member.value, slashes: .escaped)
        }
        return json.bytes
    }

    /// Appends one event as a JSON object.
    ///
    /// - Parameters:
    ///   - index: The device's index in its population.
    ///   - device: The device's number in the run, for `bs_id`.
    ///   - skew: How far its clock is ahead.
    func encode(
        _ record: EventRecord, index: Int, device: UInt32, skew: Interval, into out: inout WireBuffer
    ) {
        out.append(contentsOf: heads[Int(record.template)])
        writeParameters(of: record, index: index, skew: skew, into: &out)
        if tagsEvents {
            out.appendJSONComma()
            out.append("\"bs_id\":\"")
            out.appendDecimal(UInt64(device))
            out.append(UInt8(ascii: "-"))
            out.appendDecimal(UInt64(record.sequence))
            out.append(UInt8(ascii: "\""))
        }
        out.append("},\"timestamp\":")
        out.appendSeconds(record.capturedAt + skew)
        out.append(UInt8(ascii: "}"))
    }

    private func writeParameters(
        of record: EventRecord, index: Int, skew: Interval, into out: inout WireBuffer
    ) {
        switch record.template {
        case TrackingSDKTemplates.appLaunch: out.append(contentsOf: launches[Int(record.detail)])
        case TrackingSDKTemplates.pageView: out.append(contentsOf: views.page(record))
        case TrackingSDKTemplates.buttonClick: out.append(contentsOf: views.click(record))
        default:
            let event = Int(record.template - TrackingSDKTemplates.fixedCount)
            let sequence = UInt64(repeats[event] ? record.sequence - 1 : record.sequence)
            let stream = streams.stream(.properties, index: index).child(sequence)
            let context = PropertyContext(
                sequence: sequence, subject: record.detail, capturedAt: record.capturedAt + skew)
            business[event]
                .write(stream: stream, context: context, to: &out)
        }
    }
}
