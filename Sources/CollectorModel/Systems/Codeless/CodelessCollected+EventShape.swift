extension CodelessCollected {
    static let eventShape = EventShape(
        members: [
            EventMember("sessionId", "session_id", "the SDK's own session"),
            EventMember("deviceId", "device_id", "the SDK's id of the device"),
            EventMember("pageName", "screen_name", "class of the screen"),
            EventMember("eventsId", "events_id", "id of the batch"),
            EventMember("index", "batch_index", .whole, "place in the batch, from 0"),
            EventMember("viewInfo.viewClass", "element_type", "class of the control"),
            EventMember("viewInfo.viewPath", "element_selector", "path to the control"),
            EventMember("viewInfo.frame", "element_frame", "frame of the control"),
            EventMember("viewInfo.title", "element_content", "text of the control"),
            EventMember("viewInfo.viewId", "element_id", "id of the control"),
        ])
}
