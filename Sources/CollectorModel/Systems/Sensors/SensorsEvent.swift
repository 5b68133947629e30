import Accounting
import Wire

/// The members of a SensorsAnalytics event that a collector acts on. Points into the parser's document.
struct SensorsEvent {
    var type: UnsafeRawBufferPointer
    /// Milliseconds since the Unix epoch.
    var time: Int64
    var name = UnsafeRawBufferPointer(start: nil, count: 0)
    var distinctID = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The harness's id, from `properties.bs_id`, else from `lib.bs_id`.
    var id: EventID?
    private var trackID: JSONValue?

    /// Reads an event's members in one walk.
    init(_ value: JSONValue) throws(UploadError) {
        guard value.kind == .object else { throw UploadError(reason: .notAnObject) }
        var type: UnsafeRawBufferPointer?
        var time: Int64?
        var properties: JSONValue?
        var lib: JSONValue?
        for (name, member) in value.members {
            if name.equals("type") {
                type = member.bytes
            } else if name.equals("time") {
                time = member.wholeNumber
            } else if name.equals("event") {
                self.name = member.bytes ?? self.name
            } else if name.equals("distinct_id") {
                distinctID = member.bytes ?? distinctID
            } else if name.equals("_track_id") {
                trackID = member
            } else if name.equals("properties") {
                properties = member
            } else if name.equals("lib") {
                lib = member
            }
        }
        guard let type, !type.isEmpty else { throw UploadError(reason: .missingType) }
        guard let time else { throw UploadError(reason: .missingTime) }
        self.type = type
        self.time = time
        id = properties?.harnessID() ?? lib?.harnessID()
    }

    /// What names the event in the store: its id, else the hash of its natural key.
    ///
    /// The natural key is type, distinct_id, _track_id, time and event as text, joined with U+001F.
    /// Items and the Python SDK's events have no `_track_id`: then it is the event's JSON in normal form
    /// (members in order as received, no white space) without `_flush_time`, which changes with each
    /// attempt.
    func key(of value: JSONValue, scratch: inout WireBuffer) -> EventKey {
        if let id { return .harness(id) }
        scratch.removeAll()
        if !appendNaturalKey(to: &scratch) {
            scratch.removeAll()
            value.appendJSON(to: &scratch, omittingMember: "_flush_time")
        }
        return scratch.naturalKey
    }

    /// Appends the natural key's text.
    ///
    /// - Returns: `false` if the event has no usable `_track_id`.
    private func appendNaturalKey(to output: inout WireBuffer) -> Bool {
        let separator: UInt8 = 0x1F
        output.append(contentsOf: type)
        output.append(separator)
        output.append(contentsOf: distinctID)
        output.append(separator)
        if let text = trackID?.bytes {
            output.append(contentsOf: text)
        } else if let number = trackID?.int64 {
            output.appendDecimal(number)
        } else if let number = trackID?.uint64 {
            output.appendDecimal(number)
        } else {
            return false
        }
        output.append(separator)
        output.appendDecimal(time)
        output.append(separator)
        output.append(contentsOf: name)
        return true
    }
}
