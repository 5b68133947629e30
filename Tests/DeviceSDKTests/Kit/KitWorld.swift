import Accounting
import AppModel
import Testing
import Timebase
import Wire
import World

@testable import DeviceSDK
@testable import KitSDK

/// A device with Kit in the test's hands. Its clock shows 08:00 at the start and is eight hours ahead of UTC.
typealias KitWorld = ManualDevice<KitSystem>

extension ManualDevice where System == KitSystem {
    /// 2026-01-05T00:00:00Z.
    static var beginning: Instant { Instant(milliseconds: 1_767_571_200_000) }
    /// Seconds from the start to the first midnight on the device's clock.
    static var midnight: Double { 16 * 3600 }
    static var day: Double { 24 * 3600 }

    convenience init(
        _ version: KitRules.Version = .v1, tagged: Bool = true, app: AppDescription = .plainForTests,
        disk: DiskSchedule = DiskSchedule(), zones: TimeZones? = nil,
        change: (inout KitRules) -> Void = { _ in }
    ) {
        var rules = KitRules(version: version)
        change(&rules)
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/uploadIosLogfiles.do1")
        target.headers = [.init(name: "X-Env", value: "test")]
        var plan = PopulationPlan(
            name: "kit", deviceCount: 1, start: Self.beginning, usersEnd: Self.beginning + .hours(24 * 30),
            app: app, persona: PersonaDescription(name: "none"), target: target, system: rules)
        plan.disk = disk
        plan.tagsEvents = tagged
        if let zones { plan.zones = zones }
        self.init(plan) { KitSystem(plan: $0, rules: rules) }
    }

    /// The app starts, shows its first screen, and its process ends.
    func visit(_ seconds: Double) {
        act(seconds, .launch(passive: false), .enterForeground, .appear(screen: 0, referrer: nil))
    }

    /// Answers as a server that took the archive.
    func take(at seconds: Double) { answer("{\"statusCode\":200}", at: seconds) }

    func answer(
        _ body: String, status: UInt16 = 200, type: String = "application/json", at seconds: Double
    ) {
        end(
            .upload, nil,
            with: .answered(status: status, body: Array(body.utf8), contentType: type), at: seconds)
    }

    /// Sequences in the files.
    var stored: [UInt32] {
        var result: [UInt32] = []
        device.log.forEach { result.append($0.sequence) }
        return result
    }

    /// The logs in the archive of an upload, by name.
    static func logs(_ upload: Upload) throws -> [(name: String, lines: [String])] {
        try archive(upload).logs
    }

    static func archive(_ upload: Upload) throws -> (name: String?, logs: [(name: String, lines: [String])]) {
        let header = upload.head.headerLines.split(separator: "\r\n")
            .first { $0.hasPrefix("Content-Type: ") }
        let boundary = try MultipartBoundary(
            contentType: String(try #require(header).dropFirst("Content-Type: ".count)))
        return try upload.body.withUnsafeBytes { body in
            var reader = MultipartReader(body, boundary: boundary)
            let part = try #require(try reader.next())
            #expect(part.name == "file")
            let decoder = ZipDecoder()
            let logs = try decoder.entries(of: part.content).map { entry in
                var content = WireBuffer()
                try decoder.decode(entry, of: part.content, into: &content)
                let lines = content.text.split(separator: "\n", omittingEmptySubsequences: false)
                return (name: entry.name, lines: lines.map(String.init))
            }
            return (part.filename, logs)
        }
    }
}
