/// The messages of the codeless SDK's uploads. The schema is this project's own, since none was published; the
/// members' names are those of the design (`eventName`, `viewInfo`, …).
enum CodelessMessages {
    /// `EventBatch`: what its events share, and `repeated Event events = 4`.
    static let appKey: UInt32 = 1
    static let deviceID: UInt32 = 2
    static let eventsID: UInt32 = 3
    static let events: UInt32 = 4

    /// `Event`.
    static let event = MessageSchema([
        .init(1, "eventName"), .init(2, "eventTime", .int64), .init(3, "sessionId"), .init(4, "pageName"),
        .init(5, "viewInfo", .message(viewInfo)), .init(6, "indexPath"), .init(7, "url"), .init(8, "error"),
        .init(9, "alertTitle"), .init(10, "alertMessage"), .init(11, "business", .map), .init(15, "bsId"),
    ])

    private static let viewInfo = MessageSchema([
        .init(1, "viewClass"), .init(2, "viewPath"), .init(3, "frame"), .init(4, "title"), .init(5, "viewId"),
    ])
}
