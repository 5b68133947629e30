import CollectorModel
import TestSupport
import Wire

/// Uploads as bytes on the wire, each with two events: `<device>-0`, `<device>-1`.
enum SystemRequests {
    static func upload(
        _ path: String, headers: [String], body: [UInt8], method: String = "POST"
    ) -> [UInt8] {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: x", "Content-Length: \(body.count)"] + headers
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    static func growing(_ device: Int) -> [UInt8] {
        let events = (0..<2).map { sequence in
            """
            {"eventType":"VIEW_CLICK","timestamp":1700000000000,"deviceId":"d","sessionId":"s","deviceModel":"iPhone10,3",\
            "globalSequenceId":\(sequence + 1),"attributes":{"bs_id":"\(device)-\(sequence)"}}
            """
        }
        var body = WireBuffer()
        LZ4Block.encode(WireBuffer("[\(events.joined(separator: ","))]"), into: &body)
        body.applyXOR(0x7B)
        return upload(
            "/v3/projects/p/collect?stm=1700000000123",
            headers: ["content-type: application/json", "x-compress-codec: 3", "X-CRYPT-CODEC: 1"],
            body: body.bytes)
    }

    static func tracking(_ device: Int, path: String) -> [UInt8] {
        let events = (0..<2).map { sequence in
            """
            {"event_name":"PageView","timestamp":1700000000.5,"parameters":{"bs_id":"\(device)-\(sequence)"}}
            """
        }
        return upload(
            path, headers: ["Content-Type: application/json", "X-API-Key: k"],
            body: Array("[\(events.joined(separator: ","))]".utf8))
    }

    static func kit(_ device: Int) -> [UInt8] {
        let rows = (0..<2).map {
            "\n100,1700000000,UIButton|T|s|0|{{1, 2}, {3, 4}}|购买~\(device)-\($0),UIButton点击事件"
        }
        let log = WireBuffer(
            "My iPhone,iPhone 6s,iOS,10.0,UUID,1.2,34\n0,1700000000,AppDelegate,启动App" + rows.joined())
        var archive = WireBuffer()
        try? ZipEncoder().encode(
            [ZipFile(name: "2023-11-14_userStatisics_UUID.log", modified: .earliest, content: log)],
            into: &archive)
        let boundary = MultipartBoundary(1, 2)
        var body = WireBuffer()
        body.appendMultipartFile(
            name: "file", filename: "a.zip", contentType: "zip", content: archive, boundary: boundary)
        return upload(
            "/app/uploadIosLogfiles.do1", headers: ["Content-Type: \(boundary.contentType)"], body: body.bytes
        )
    }

    static func codeless(_ device: Int) -> [UInt8] {
        var body = WireBuffer()
        body.appendProtobufField(3, string: "00ff")
        for sequence in 0..<2 {
            body.appendProtobufField(4) { event in
                event.appendProtobufField(1, string: "ButtonClick")
                event.appendProtobufField(2, int64: 1_700_000_000_000)
                event.appendProtobufField(15, string: "\(device)-\(sequence)")
            }
        }
        return upload(
            "/codeless/v1/events", headers: ["Content-Type: application/x-protobuf", "X-Events-Id: 00ff"],
            body: body.bytes)
    }

    static func sensors(_ device: Int) -> [UInt8] {
        Requests.upload([Requests.event(device, 0), Requests.event(device, 1)])
    }

    /// Those for which the documentation's queries are asked, in this order.
    static let documented: [(system: CollectorSystem, request: @Sendable (_ device: Int) -> [UInt8])] = [
        (.sensors, sensors), (.growing, growing), (.trackingSDK, tracking), (.kit, kit),
        (.codeless, codeless),
    ]

    private static func tracking(_ device: Int) -> [UInt8] { tracking(device, path: "/tracking/events") }

    /// An upload of any system with two events. Names of headers are in capitals: their case means nothing.
    static func of(_ system: CollectorSystem, device: Int) -> [UInt8] {
        let form = SystemUpload.of(system, ids: ["\(device)-0", "\(device)-1"])
        return upload(
            form.path + (form.query.isEmpty ? "" : "?" + form.query),
            headers: form.headers.filter { !$0.value.isEmpty }.map {
                "\("\($0.key.name)".uppercased()): \($0.value)"
            }, body: form.body)
    }
}
