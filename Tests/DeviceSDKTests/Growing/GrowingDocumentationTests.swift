import AppModel
import Foundation
import Testing

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, documentation")
struct GrowingDocumentationTests {
    @Test(
        "the page has the tables of hooks that the versions act on",
        arguments: [GrowingRules.Version.v3, .v4])
    func hooks(version: GrowingRules.Version) throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let path = "Sources/Beaconswarm/Documentation.docc/GrowingIO.md"
        let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        let table = GrowingHooks.table(GrowingRules(version: version)).markdown
        #expect(text.contains(table), "\(path) should have this table:\n\(table)")
    }
}
