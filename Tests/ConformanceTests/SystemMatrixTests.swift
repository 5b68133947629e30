import Foundation
import TestSupport
import Testing

@Suite("Every system under every answer")
struct SystemMatrixTests {
    private static let page = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Beaconswarm/Documentation.docc/Answers.md")

    /// `BEACONSWARM_WRITE_MATRIX=1 swift test --filter SystemMatrixTests` writes the page's table anew.
    @Test("keeps its books, and is as the documentation says")
    func matrix() throws {
        let (table, problems) = try SystemMatrix.markdown()
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- matrix -->\n"))
        let end = try #require(text.range(of: "<!-- end of the matrix -->"))
        if ProcessInfo.processInfo.environment["BEACONSWARM_WRITE_MATRIX"] != nil {
            let renewed = text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: table)
            try renewed.write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text[begin.upperBound..<end.lowerBound]) == table)
        }
    }
}
