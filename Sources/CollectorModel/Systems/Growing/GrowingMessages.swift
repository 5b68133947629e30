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
        .init(4, "sessionId"), .init(5, "dataSourceId"), .init(7, "platform"), .init(8, "timestamp", .int64),
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
