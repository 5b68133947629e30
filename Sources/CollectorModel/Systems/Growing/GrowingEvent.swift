import Accounting
import Wire

/// The members of a GrowingIO event that a collector acts on. Points into the parser's document.
struct GrowingEvent {
    var type = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Milliseconds since the Unix epoch.
    var timestamp: Int64 = 0
    var deviceID = UnsafeRawBufferPointer(start: nil, count: 0)
    var sessionID = UnsafeRawBufferPointer(start: nil, count: 0)
    var userID = UnsafeRawBufferPointer(start: nil, count: 0)
    var name = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The harness's id, from the attributes.
    var id: EventID?
    private var globalSequence: Int64 = 0
    private var typeSequence: Int64 = 0

    /// Reads an event of the third protocol in one walk.
    init(_ value: JSONValue) throws(UploadError) {
        var timestamp: Int64?
        for (name, member) in value.members {
            if name.equals("eventType") {
                type = member.bytes ?? type
            } else if name.equals("timestamp") {
                timestamp = member.wholeNumber
            } else if name.equals("deviceId") {
                deviceID = member.bytes ?? deviceID
            } else if name.equals("sessionId") {
                sessionID = member.bytes ?? sessionID
            } else if name.equals("userId") {
                userID = member.bytes ?? userID
            } else if name.equals("eventName") {
                self.name = member.bytes ?? self.name
            } else if name.equals("globalSequenceId") {
                globalSequence = member.int64 ?? 0
            } else if name.equals("eventSequenceId") {
                typeSequence = member.int64 ?? 0
            } else if name.equals("attributes") {
                id = member.harnessID()
            }
        }
        try finish(timestamp)
    }

    /// Reads an event of the second protocol (growingio-sdk-ios-saas): `t` type, `tm` time, `u` device, `s`
    /// session, `cs1` user, `n` name, `gesid` and `esid` sequences, `var` variables.
    init(short value: JSONValue) throws(UploadError) {
        var timestamp: Int64?
        for (name, member) in value.members {
            if name.equals("t") {
                type = member.bytes ?? type
            } else if name.equals("tm") {
                timestamp = member.wholeNumber
            } else if name.equals("u") {
                deviceID = member.bytes ?? deviceID
            } else if name.equals("s") {
                sessionID = member.bytes ?? sessionID
            } else if name.equals("cs1") {
                userID = member.bytes ?? userID
            } else if name.equals("n") {
                self.name = member.bytes ?? self.name
            } else if name.equals("gesid") {
                globalSequence = member.int64 ?? 0
            } else if name.equals("esid") {
                typeSequence = member.int64 ?? 0
            } else if name.equals("var") || name.equals("attributes") {
                id = id ?? member.harnessID()
            } else if name.equals("bs_id") {
                id = member.bytes.flatMap { EventID(text: $0) } ?? id
            }
        }
        try finish(timestamp)
    }

    private mutating func finish(_ timestamp: Int64?) throws(UploadError) {
        guard !type.isEmpty else { throw UploadError(reason: .missingType) }
        guard let timestamp else { throw UploadError(reason: .missingTime) }
        self.timestamp = timestamp
    }

    /// Whom the event is about.
    var distinctID: UnsafeRawBufferPointer { userID.isEmpty ? deviceID : userID }

    /// The sequence among all of the device's events, else among those of its type; 0 for none.
    var sequence: Int64 { globalSequence != 0 ? globalSequence : typeSequence }
}
