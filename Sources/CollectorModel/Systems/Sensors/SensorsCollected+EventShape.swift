extension SensorsCollected {
    static let eventShape = EventShape(
        members: [
            EventMember(
                "distinct_id", "distinct_id", "who the event is about: the login id, else the anonymous id"),
            EventMember("anonymous_id", "anonymous_id", "the device's anonymous id"),
            EventMember("login_id", "login_id", "the account"),
            EventMember("original_id", "original_id", "the id before a sign-up"),
            EventMember("_track_id", "track_id", .whole, "random number of the event"),
            EventMember(
                "_flush_time", "flush_time", .milliseconds, "when it was sent, by the device's clock"),
            EventMember("identities", "identities", "all ids of the user, as JSON"),
            EventMember("item_type", "item_type", "type of an item"),
            EventMember("item_id", "item_id", "id of an item"),
            EventMember("lib.$lib", "lib", "the SDK"),
            EventMember("lib.$lib_version", "lib_version", "version of the SDK"),
            EventMember("lib.$lib_method", "lib_method", "how the event was tracked: code or autoTrack"),
            EventMember("lib.$lib_detail", "lib_detail", "class, method and place of the call"),
            EventMember("lib.$app_version", "app_version", "version of the app"),
            EventMember("properties.$app_id", "app_id", "bundle identifier of the app"),
            EventMember("properties.$app_name", "app_name", "name of the app"),
            EventMember("properties.$manufacturer", "manufacturer", "maker of the device"),
            EventMember("properties.$model", "model", "model of the device"),
            EventMember("properties.$os", "os", "operating system"),
            EventMember("properties.$os_version", "os_version", "version of the operating system"),
            EventMember("properties.$screen_width", "screen_width", .whole, "width of the screen"),
            EventMember("properties.$screen_height", "screen_height", .whole, "height of the screen"),
            EventMember("properties.$carrier", "carrier", "mobile network operator"),
            EventMember("properties.$network_type", "network_type", "radio at the capture"),
            EventMember("properties.$wifi", "wifi", .flag, "whether that was Wi-Fi"),
            EventMember("properties.$device_id", "device_id", "the SDK's id of the device"),
            EventMember("properties.$timezone_offset", "timezone_offset", .whole, "minutes behind UTC"),
            EventMember("properties.$is_first_day", "is_first_day", .flag, "on the day of the first start"),
            EventMember("properties.$is_first_time", "is_first_time", .flag, "the first of its kind"),
            EventMember("properties.$resume_from_background", "resume_from_background", .flag, "a hot start"),
            EventMember("properties.event_duration", "event_duration", .number, "seconds"),
            EventMember("properties.$screen_name", "screen_name", "class of the screen"),
            EventMember("properties.$title", "title", "title of the screen"),
            EventMember("properties.$url", "url", "address of the screen"),
            EventMember("properties.$referrer", "referrer", "address of the screen before"),
            EventMember("properties.$element_id", "element_id", "id of the control"),
            EventMember("properties.$element_type", "element_type", "class of the control"),
            EventMember("properties.$element_content", "element_content", "text of the control"),
            EventMember("properties.$element_position", "element_position", "place of the control in a list"),
        ],
        missing: [
            "1.10.17": ["properties.$app_id", "properties.$app_name", "properties.$timezone_offset"]
        ], propertyGroup: "properties")
}
