import CollectorModel
import Timebase
package import Wire

/// Kit (`KitUserStatisticsUtil.m`): 2xx with JSON whose `statusCode` is 200 is success, within 8 s; a 204 has no body.
enum KitFixture: SystemFixture {
    static let system = CollectorSystem.kit
    static let sendsDaily = true

    static let answers = """
        1.0       | D       S   S   S   S   S   S   S   S   S   | D   S2  S2  | S2   S2   S     S
        document  | D       S   S   S   S   S   S   S   S   S   | D   S2  S2  | S2   S2   S     S
        """

    static func upload(ids: [String?]) -> SystemUpload {
        .kit([(SystemUpload.kitLogName, SystemUpload.kitLog(ids))])
    }

    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance
    ) {
        if disturbance == .portal { expected.takenForDelivered = 0 }
        if disturbance == .slowMidnight { expected.lost = nil }
    }

    static func members(in text: ScenarioText, versions: [String]) -> [SystemMember] {
        versions.map { .kit($0) }
    }

    static func drawn(
        in text: ScenarioText, versions: [String], _ draw: inout RandomStream
    ) -> SystemMember {
        let clear = RandomScenario.pick(["other-days", "sent-only"], &draw)
        let version = RandomScenario.pick(versions, &draw)
        return SystemMember(
            name: "", system: system.rawValue, version: version,
            sdk: """
                "storage": {"prefill": \(draw.below(20))}, "clear": "\(clear)",
                "upload": {"timeout": "\(100 + draw.below(4000))ms"}
                """)
    }

}

extension SystemUpload {
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
}

extension SystemMember {
    /// With some rows of the day before, for nothing else leaves within a day.
    static func kit(_ version: String, name: String? = nil, sdk: String = "") -> SystemMember {
        let prefill = #""storage": {"prefill": 5}"#
        return SystemMember(
            name: name ?? "kit-\(version.filter { $0 != "." })", system: "kit", version: version,
            sdk: sdk.isEmpty ? prefill : "\(prefill), \(sdk)")
    }
}
