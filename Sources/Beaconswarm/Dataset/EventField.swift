import CollectorModel
import Datasets

/// A member of events' JSON that has a column of its own in the table `events`.
struct EventField: Hashable, Sendable {
    /// Where it is: a member, or a member of one such as `properties.$os`.
    var path: String
    var column: String
    var type: ColumnType
    var doc: String

    init(_ path: String, _ column: String, _ type: ColumnType = .string, _ doc: String) {
        self.path = path
        self.column = column
        self.type = type
        self.doc = doc
    }
}

/// What datasets know of a system's events.
struct SystemEvents {
    /// The members that the system's own code writes; fields of several systems that mean the same share a column.
    var fields: [EventField]
    /// Members that events of a version never have, by the version.
    var missing: [String: Set<String>] = [:]
    /// The member that holds the properties of an app's own events; `nil` where there is none.
    var propertyGroup: String?
    var carried = CarriedProperties.all

    /// What of an app's properties calls of its code reach the SDK with.
    enum CarriedProperties {
        case all
        /// Those of events that are not a web page's, without what is registered for all of them.
        case ofEvents
        /// All but those of items, and of profiles those that are set.
        case settable
    }

    /// Every system has its line here: a further one does not compile without.
    static func of(_ system: CollectorSystem) -> SystemEvents {
        switch system {
        case .sensors:
            SystemEvents(
                fields: EventField.sensors,
                missing: [
                    "1.10.17": ["properties.$app_id", "properties.$app_name", "properties.$timezone_offset"]
                ], propertyGroup: "properties")
        case .growing:
            SystemEvents(
                fields: EventField.growing,
                missing: ["3.2.1": ["timezoneOffset"], "4.11.0": ["globalSequenceId"]],
                propertyGroup: "attributes", carried: .settable)
        case .trackingSDK: SystemEvents(fields: [], propertyGroup: "parameters", carried: .ofEvents)
        case .kit: SystemEvents(fields: EventField.kit)
        case .codeless: SystemEvents(fields: EventField.codeless)
        // What a description says of its events is in `payload` alone.
        case .declared: SystemEvents(fields: [])
        }
    }
}

extension EventField {
    fileprivate static let sensors: [EventField] = [
        EventField(
            "distinct_id", "distinct_id", "who the event is about: the login id, else the anonymous id"),
        EventField("anonymous_id", "anonymous_id", "the device's anonymous id"),
        EventField("login_id", "login_id", "the account"),
        EventField("original_id", "original_id", "the id before a sign-up"),
        EventField("_track_id", "track_id", .int64, "random number of the event"),
        EventField("_flush_time", "flush_time", .timestampMillis, "when it was sent, by the device's clock"),
        EventField("identities", "identities", "all ids of the user, as JSON"),
        EventField("item_type", "item_type", "type of an item"),
        EventField("item_id", "item_id", "id of an item"),
        EventField("lib.$lib", "lib", "the SDK"),
        EventField("lib.$lib_version", "lib_version", "version of the SDK"),
        EventField("lib.$lib_method", "lib_method", "how the event was tracked: code or autoTrack"),
        EventField("lib.$lib_detail", "lib_detail", "class, method and place of the call"),
        EventField("lib.$app_version", "app_version", "version of the app"),
        EventField("properties.$app_id", "app_id", "bundle identifier of the app"),
        EventField("properties.$app_name", "app_name", "name of the app"),
        EventField("properties.$manufacturer", "manufacturer", "maker of the device"),
        EventField("properties.$model", "model", "model of the device"),
        EventField("properties.$os", "os", "operating system"),
        EventField("properties.$os_version", "os_version", "version of the operating system"),
        EventField("properties.$screen_width", "screen_width", .int64, "width of the screen"),
        EventField("properties.$screen_height", "screen_height", .int64, "height of the screen"),
        EventField("properties.$carrier", "carrier", "mobile network operator"),
        EventField("properties.$network_type", "network_type", "radio at the capture"),
        EventField("properties.$wifi", "wifi", .bool, "whether that was Wi-Fi"),
        EventField("properties.$device_id", "device_id", "the SDK's id of the device"),
        EventField("properties.$timezone_offset", "timezone_offset", .int64, "minutes behind UTC"),
        EventField("properties.$is_first_day", "is_first_day", .bool, "on the day of the first start"),
        EventField("properties.$is_first_time", "is_first_time", .bool, "the first of its kind"),
        EventField("properties.$resume_from_background", "resume_from_background", .bool, "a hot start"),
        EventField("properties.event_duration", "event_duration", .double, "seconds"),
        EventField("properties.$screen_name", "screen_name", "class of the screen"),
        EventField("properties.$title", "title", "title of the screen"),
        EventField("properties.$url", "url", "address of the screen"),
        EventField("properties.$referrer", "referrer", "address of the screen before"),
        EventField("properties.$element_id", "element_id", "id of the control"),
        EventField("properties.$element_type", "element_type", "class of the control"),
        EventField("properties.$element_content", "element_content", "text of the control"),
        EventField("properties.$element_position", "element_position", "place of the control in a list"),
    ]

    fileprivate static let growing: [EventField] = [
        EventField("userId", "user_key", "the account"),
        EventField("sessionId", "session_id", "the SDK's own session"),
        EventField("deviceId", "device_id", "the SDK's id of the device"),
        EventField("dataSourceId", "data_source_id", "the project's source of data"),
        EventField("domain", "app_id", "bundle identifier of the app"),
        EventField("platform", "os", "operating system"),
        EventField("platformVersion", "os_version", "version of the operating system"),
        EventField("deviceBrand", "manufacturer", "maker of the device"),
        EventField("deviceModel", "model", "model of the device"),
        EventField("deviceType", "device_type", "kind of the device"),
        EventField("appName", "app_name", "name of the app"),
        EventField("appVersion", "app_version", "version of the app"),
        EventField("appState", "app_state", "whether the app is in front"),
        EventField("sdkVersion", "lib_version", "version of the SDK"),
        EventField("language", "language", "language of the device"),
        EventField("networkState", "network_type", "radio at the capture"),
        EventField("screenWidth", "screen_width", .int64, "width of the screen"),
        EventField("screenHeight", "screen_height", .int64, "height of the screen"),
        EventField("timezoneOffset", "timezone_offset", .int64, "minutes behind UTC"),
        EventField("eventSequenceId", "event_sequence_id", .int64, "counts events of the type"),
        EventField("globalSequenceId", "global_sequence_id", .int64, "counts all events"),
        EventField("duration", "event_duration", .double, "of an end of the app's use, seconds"),
        EventField("attributes.event_duration", "event_duration", .double, "of a timed event, seconds"),
        EventField("path", "path", "path of the page"),
        EventField("title", "title", "title of the page"),
        EventField("referralPage", "referrer", "path of the page before"),
        EventField("xpath", "element_selector", "path to the control"),
        EventField("textValue", "element_content", "text of the control"),
        EventField("index", "element_position", "place of the control in a list"),
        EventField("idfa", "idfa", "identifier for advertisers"),
        EventField("idfv", "idfv", "identifier for vendors"),
    ]

    fileprivate static let kit: [EventField] = [
        EventField("log", "log", "the file on the device"),
        EventField("line", "line", .int64, "the row in the file, from 0"),
        EventField("content", "element_content", "what the row is about"),
        EventField("remark", "remark", "what happened, in words"),
        EventField("device.deviceName", "device_name", "name of the device"),
        EventField("device.deviceModel", "model", "model of the device"),
        EventField("device.systemName", "os", "operating system"),
        EventField("device.systemVersion", "os_version", "version of the operating system"),
        EventField("device.uuid", "device_id", "the SDK's id of the device"),
        EventField("device.appVersion", "app_version", "version of the app"),
        EventField("device.appBuild", "app_build", "build of the app"),
    ]

    fileprivate static let codeless: [EventField] = [
        EventField("sessionId", "session_id", "the SDK's own session"),
        EventField("deviceId", "device_id", "the SDK's id of the device"),
        EventField("pageName", "screen_name", "class of the screen"),
        EventField("eventsId", "events_id", "id of the batch"),
        EventField("index", "batch_index", .int64, "place in the batch, from 0"),
        EventField("viewInfo.viewClass", "element_type", "class of the control"),
        EventField("viewInfo.viewPath", "element_selector", "path to the control"),
        EventField("viewInfo.frame", "element_frame", "frame of the control"),
        EventField("viewInfo.title", "element_content", "text of the control"),
        EventField("viewInfo.viewId", "element_id", "id of the control"),
    ]

    private init(_ path: String, _ column: String, _ doc: String) {
        self.init(path, column, .string, doc)
    }
}
