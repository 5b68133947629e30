extension KitCollected {
    static let eventShape = EventShape(
        members: [
            EventMember("log", "log", "the file on the device"),
            EventMember("line", "line", .whole, "the row in the file, from 0"),
            EventMember("content", "element_content", "what the row is about"),
            EventMember("remark", "remark", "what happened, in words"),
            EventMember("device.deviceName", "device_name", "name of the device"),
            EventMember("device.deviceModel", "model", "model of the device"),
            EventMember("device.systemName", "os", "operating system"),
            EventMember("device.systemVersion", "os_version", "version of the operating system"),
            EventMember("device.uuid", "device_id", "the SDK's id of the device"),
            EventMember("device.appVersion", "app_version", "version of the app"),
            EventMember("device.appBuild", "app_build", "build of the app"),
        ])
}
