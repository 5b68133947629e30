import Accounting
import Wire

/// The messages of GrowingIO's second body format, with the names that the same members have in JSON
/// (growingio-sdk-ios-autotracker 4.11.0, `Services/Protobuf/Proto/event_v3.proto`; fields 3, 14 and 23 are
/// those of 3.x).
enum GrowingMessages {
    /// The field `values` of `EventV3List`, and of `ItemDtoList`.
    static let events: UInt32 = 1
    static let items: UInt32 = 2

    /// `EventV3Dto`.
    static let event = MessageSchema([
        .init(6, "eventType", .choice(types)), .init(1, "deviceId"), .init(2, "userId"), .init(3, "gioId"),
        .init(4, "sessionId"), .init(5, "dataSourceId"), .init(7, "platform"), .init(8, "timestamp", .time),
        .init(9, "domain"), .init(10, "path"), .init(11, "query"), .init(12, "title"),
        .init(13, "referralPage"), .init(14, "globalSequenceId", .int64),
        .init(15, "eventSequenceId", .int32),
        .init(16, "screenHeight", .int32), .init(17, "screenWidth", .int32), .init(18, "language"),
        .init(19, "sdkVersion"), .init(20, "appVersion"), .init(21, "extraSdk", .map), .init(22, "eventName"),
        .init(23, "pageShowTimestamp", .int64), .init(24, "attributes", .map),
        .init(25, "resourceItem", .message(resourceItem)), .init(26, "protocolType"), .init(27, "textValue"),
        .init(28, "xpath"), .init(29, "index", .int32), .init(30, "hyperlink"), .init(31, "urlScheme"),
        .init(32, "appState"), .init(33, "networkState"), .init(34, "appChannel"), .init(35, "pageName"),
        .init(36, "platformVersion"), .init(37, "deviceBrand"), .init(38, "deviceModel"),
        .init(39, "deviceType"), .init(40, "operatingSystem"), .init(42, "appName"),
        .init(44, "latitude", .double), .init(45, "longitude", .double), .init(46, "imei"),
        .init(47, "androidId"), .init(48, "oaid"), .init(49, "googleAdvertisingId"), .init(50, "idfa"),
        .init(51, "idfv"), .init(52, "orientation"), .init(53, "projectKey"), .init(54, "sendTime", .int64),
        .init(55, "userKey"), .init(56, "xcontent"), .init(57, "timezoneOffset"),
    ])

    /// `ItemDto`.
    static let item = MessageSchema([
        .init(1, "id"), .init(2, "key"), .init(3, "attributes", .map), .init(4, "dataSourceId"),
        .init(5, "projectKey"),
    ])

    /// Indices in ``event`` that ``keys(in:)`` looks at.
    private static let timestamp: UInt32 = 8
    private static let attributes: UInt32 = 24
    /// Lists up to here cannot become too long a text.
    private static let plainLimit = 1 << 20

    /// The harness's ids of a list of events; `nil` if anything in it is out of the ordinary.
    static func keys(in list: UnsafeRawBufferPointer) -> ContiguousArray<EventKey>? {
        guard list.count <= plainLimit else { return nil }
        var keys = ContiguousArray<EventKey>()
        var reader = ProtobufReader(list)
        do {
            while let field = try reader.next() {
                guard field.number == events else { continue }
                guard let id = try id(of: field.message()) else { return nil }
                keys.append(.harness(id))
            }
        } catch {
            return nil
        }
        return keys
    }

    /// The harness's id of an event. Whatever its time: the first millisecond of 1970 is sent as none.
    private static func id(of event: ProtobufReader) throws(ProtobufError) -> EventID? {
        var reader = event
        var id: EventID?
        while let field = try reader.next() {
            switch field.number {
            case timestamp: _ = try field.int64()
            case attributes:
                let (key, value) = try field.textEntry()
                // Of a map's entries the last of a key counts.
                if key.equals("bs_id") { id = EventID(text: value) }
            default: continue
            }
        }
        return id
    }

    private static let resourceItem = MessageSchema([
        .init(1, "id"), .init(2, "key"), .init(3, "attributes", .map),
    ])

    /// The enumeration's cases from 0 on: a message without the field is a VISIT.
    private static let types: [StaticString] = [
        "VISIT", "CUSTOM", "VISITOR_ATTRIBUTES", "LOGIN_USER_ATTRIBUTES", "CONVERSION_VARIABLES",
        "APP_CLOSED",
        "PAGE", "PAGE_ATTRIBUTES", "VIEW_CLICK", "VIEW_CHANGE", "FORM_SUBMIT", "ACTIVATE",
    ]
}
