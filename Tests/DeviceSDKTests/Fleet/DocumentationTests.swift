import AppModel
import Foundation
import Testing

@testable import CodelessSDK
@testable import DeviceSDK
@testable import KitSDK
@testable import SensorsSDK
@testable import TrackingSDK

@Suite("What the documentation quotes of the systems")
struct DocumentationTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test(
        "tables of hooks are the ones that the systems act on",
        arguments: [
            TrackingSDKSystem.hooks, KitSystem.hooks, CodelessSystem.hooks, SensorsHooks.table(.v4),
        ])
    func tables(hooks: HookTable) throws {
        let pages = [
            "trackingsdk": "TrackingSDK", "kit": "Kit", "codeless": "Codeless", "sensors": "Sensors",
        ]
        let page = try #require(pages[hooks.system])
        let path = "Sources/Beaconswarm/Documentation.docc/\(page).md"
        #expect(
            try Self.text(path).contains(hooks.markdown), "\(path) should have this table:\n\(hooks.markdown)"
        )
    }

    @Test("the codeless SDK's schema is that of its file")
    func schema() throws {
        let file = try Self.text("Sources/DeviceSDK/Systems/Codeless/codeless.proto")
        let start = try #require(file.range(of: "syntax =")?.lowerBound)
        let page = try Self.text("Sources/Beaconswarm/Documentation.docc/Codeless.md")
        #expect(page.contains("```proto\n\(file[start...])```"))
    }
}
