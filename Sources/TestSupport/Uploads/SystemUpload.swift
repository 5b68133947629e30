package import CollectorModel
package import Wire

/// A request of one system, as its client sends it: made by hand, apart from every line of the simulation.
package struct SystemUpload {
    package var system: CollectorSystem
    package var path: String
    package var query = ""
    package var headers: [CollectedHeader: String] = [:]
    package var body: [UInt8]

    package init(
        system: CollectorSystem, path: String, query: String = "", headers: [CollectedHeader: String] = [:],
        body: [UInt8]
    ) {
        self.system = system
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

extension SystemUpload {
    /// An upload of a system with these events, or rows without an id for `nil`.
    package static func of(_ system: CollectorSystem, ids: [String?] = ["3-0", "3-1"]) -> SystemUpload {
        switch system {
        case .sensors:
            let events = ids.enumerated().map { Bodies.event($1, trackID: $0) }
            return SystemUpload(
                system: system, path: "/sa", body: Bodies.official("[\(events.joined(separator: ","))]"))
        case .growing:
            let events = ids.enumerated().map { growingEvent($1, sequence: $0 + 1) }
            return growing("[\(events.joined(separator: ","))]")
        case .trackingSDK:
            let events = ids.enumerated().map { trackingEvent($1, second: 1_556_107_397 + $0) }
            return tracking("[\(events.joined(separator: ","))]")
        case .kit: return kit([(kitLogName, kitLog(ids))])
        case .codeless: return codeless(ids: ids)
        }
    }

    // MARK: GrowingIO

    package static func growingEvent(_ id: String?, sequence: Int, type: String = "CUSTOM") -> String {
        let attributes = id.map { #","attributes":{"bs_id":"\#($0)"}"# } ?? ""
        return #"{"eventType":"\#(type)","timestamp":1700000000000,"deviceId":"d-1","sessionId":"s-1","#
            + #""globalSequenceId":\#(sequence),"eventSequenceId":1,"eventName":"buy"\#(attributes)}"#
    }

    package static func growing(
        _ body: some Sequence<UInt8>, query: String = "stm=1700000000123",
        path: String = "/v3/projects/p-1/collect",
        compress: String = "", crypt: String = "", type: String = "application/json"
    ) -> SystemUpload {
        SystemUpload(
            system: .growing, path: path, query: query,
            headers: [.contentType: type, .compressCodec: compress, .cryptCodec: crypt], body: Array(body))
    }

    package static func growing(_ json: String) -> SystemUpload { growing(json.utf8) }

    // MARK: TrackingSDK

    package static func trackingEvent(_ id: String?, second: Int) -> String {
        let parameters = id.map { #"{"page":"Home","bs_id":"\#($0)"}"# } ?? #"{"page":"Home"}"#
        return #"{"event_name":"PageView","parameters":\#(parameters),"timestamp":\#(second).123}"#
    }

    package static func tracking(_ json: String) -> SystemUpload {
        SystemUpload(
            system: .trackingSDK, path: "/tracking/events",
            headers: [.contentType: "application/json", .apiKey: "k-1"], body: Array(json.utf8))
    }

    // MARK: Kit

    package static let kitLogName = "2016-10-25_userStatisics_0F1E2D3C.log"
    package static let kitHeader = "My iPhone,iPhone 6s,iOS,10.0,0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0,1.2,34"

    package static func kitLog(_ ids: [String?]) -> String {
        kitHeader
            + ids.map { id in
                "\n100,1477382005,UIButton|Home|buy:|0|{{10, 20}, {80, 30}}|购买\(id.map { "~\($0)" } ?? ""),UIButton点击事件"
            }.joined()
    }

    package static let boundary = MultipartBoundary(0x1234_ABCD, 0x0000_00FF)

    package static func kit(_ logs: [(name: String, content: String)]) -> SystemUpload {
        kit(archive: zip(logs.map { ($0.name, Array($0.content.utf8)) }))
    }

    package static func zip(_ files: [(name: String, content: [UInt8])]) -> [UInt8] {
        var archive = WireBuffer()
        let entries = files.map { file in
            var content = WireBuffer()
            content.append(contentsOf: file.content)
            return ZipFile(name: file.name, modified: .earliest, content: content)
        }
        try? ZipEncoder().encode(entries, into: &archive)
        return archive.bytes
    }

    package static func kit(archive: [UInt8]) -> SystemUpload {
        var content = WireBuffer()
        content.append(contentsOf: archive)
        var body = WireBuffer()
        body.appendMultipartFile(
            name: "file", filename: "2016-10-24_userStatisics_0F1E2D3C.zip", contentType: "zip",
            content: content,
            boundary: boundary)
        return SystemUpload(
            system: .kit, path: "/app/uploadIosLogfiles.do1", headers: [.contentType: boundary.contentType],
            body: body.bytes)
    }

    // MARK: Codeless

    package static func codeless(ids: [String?], eventsID: String = "00ff") -> SystemUpload {
        var body = WireBuffer()
        body.appendProtobufField(1, string: "app-1")
        body.appendProtobufField(2, string: "d-1")
        body.appendProtobufField(3, string: eventsID)
        for (place, id) in ids.enumerated() {
            body.appendProtobufField(4) { event in
                event.appendProtobufField(1, string: "ButtonClick")
                event.appendProtobufField(2, int64: 1_700_000_000_000 + Int64(place))
                event.appendProtobufField(4, string: "Home")
                if let id { event.appendProtobufField(15, string: id) }
            }
        }
        return codeless(body.bytes)
    }

    package static func codeless(_ body: [UInt8], eventsID: String = "") -> SystemUpload {
        SystemUpload(
            system: .codeless, path: "/codeless/v1/events",
            headers: [.contentType: "application/x-protobuf", .eventsID: eventsID], body: body)
    }
}

/// The bytes that hexadecimal digits spell.
package func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).map { index in
        UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
    }
}
