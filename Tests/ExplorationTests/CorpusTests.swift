import Foundation
import Testing
import Wire

@testable import Exploration

@Suite("Worlds that broke something once")
struct CorpusTests {
    /// `Tests/Exploration`, beside this test's folder.
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Exploration")

    static var names: [String] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return files.filter { $0.hasSuffix(".json") }.sorted()
    }

    @Test("there are some")
    func isNotEmpty() { #expect(!Self.names.isEmpty) }

    @Test("every invariant holds in them now", arguments: names)
    func replay(name: String) throws {
        let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
        let scenario = try JSONReader.read(bytes).0
        let violations = try #require(Explorer().violations(of: scenario), "no sound scenario")
        #expect(violations == [])
    }
}
