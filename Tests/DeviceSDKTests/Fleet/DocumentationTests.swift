import AppModel
import Foundation
import Testing

@testable import CodelessSDK
@testable import DeviceSDK
@testable import GrowingSDK
@testable import KitSDK
@testable import SensorsSDK
@testable import TrackingSDK

@Suite("What the documentation quotes of the systems")
struct DocumentationTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// The one list of them: each system has its table in its own way, some by version.
    private static let hooked = [
        TrackingSDKSystem.hooks, KitSystem.hooks, CodelessSystem.hooks, SensorsHooks.table(.v4),
        GrowingHooks.table(GrowingRules(version: .v4)),
    ]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
    }

    @Test("tables of hooks are the ones that the systems act on", arguments: hooked)
    func tables(hooks: HookTable) throws {
        let folder = "Sources/Beaconswarm/Documentation.docc"
        let pages = try Self.names(in: folder).filter { $0.lowercased().hasPrefix(hooks.system) }
        #expect(
            try pages.contains { try Self.text("\(folder)/\($0)").contains(hooks.markdown) },
            "\(pages) should have this table:\n\(hooks.markdown)")
    }

    @Test("each system that hooks calls is among them")
    func systems() throws {
        let folder = "Sources/DeviceSDK/Systems"
        let hooking = try Self.names(in: folder).filter { name in
            try Self.names(in: "\(folder)/\(name)").contains("\(name)Hooks.swift")
        }
        let listed = Set(Self.hooked.map(\.system))
        #expect(listed.count == hooking.count)
        for name in hooking {
            #expect(listed.contains(name.lowercased()), "\(name) has hooks, and is not in `hooked`")
        }
    }

    @Test("the codeless SDK's schema is that of its file")
    func schema() throws {
        let file = try Self.text("Sources/DeviceSDK/Systems/Codeless/codeless.proto")
        let start = try #require(file.range(of: "syntax =")?.lowerBound)
        let page = try Self.text("Sources/Beaconswarm/Documentation.docc/Codeless.md")
        #expect(page.contains("```proto\n\(file[start...])```"))
    }
}
