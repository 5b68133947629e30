import Wire

/// Builds uploads by hand, for the tests of the collector.
package enum Bodies {
    /// The form of the official iOS SDKs: checksum, gzip, list.
    package static func official(_ json: String, crc: Int64? = nil) -> [UInt8] {
        let text = base64(gzip(Array(json.utf8)))
        let sum = crc ?? Int64(Array(text.utf8).withUnsafeBytes { JavaHash.hash($0) })
        return Array("crc=\(sum)&gzip=1&data_list=\(escaped(text))".utf8)
    }

    /// The form of the Python SDK 1.11.0: no checksum, the list first.
    package static func python(_ json: String, field: String = "data_list") -> [UInt8] {
        Array("\(field)=\(escaped(base64(gzip(Array(json.utf8)))))&gzip=1".utf8)
    }

    package static func plain(_ json: String) -> [UInt8] {
        Array("data_list=\(escaped(base64(Array(json.utf8))))".utf8)
    }

    package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var output = WireBuffer()
        bytes.withUnsafeBytes { GzipEncoder(level: 6).compress($0, into: &output) }
        return output.bytes
    }

    package static func base64(_ bytes: [UInt8]) -> String {
        var output = WireBuffer()
        bytes.withUnsafeBytes { Base64.encode($0, into: &output) }
        return output.text
    }

    package static func escaped(_ text: String) -> String {
        var output = WireBuffer()
        Array(text.utf8).withUnsafeBytes { PercentEncoding.sensorsModern.encode($0, into: &output) }
        return output.text
    }

    package static func event(
        _ id: String? = nil, type: String = "track", name: String? = "Buy", trackID: Int? = 7,
        time: Int = 1_700_000_000_000, flushTime: Int? = nil
    ) -> String {
        var members = ["\"type\":\"\(type)\"", "\"distinct_id\":\"u-1\"", "\"time\":\(time)"]
        if let name { members.append("\"event\":\"\(name)\"") }
        if let trackID { members.append("\"_track_id\":\(trackID)") }
        if let flushTime { members.append("\"_flush_time\":\(flushTime)") }
        members.append("\"properties\":{\(id.map { "\"bs_id\":\"\($0)\"" } ?? "")}")
        return "{\(members.joined(separator: ","))}"
    }

    package static func list(_ events: String...) -> String { "[\(events.joined(separator: ","))]" }
}
