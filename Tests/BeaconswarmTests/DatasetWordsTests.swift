import Testing
import Timebase

@testable import Beaconswarm
@testable import Generation

@Suite("Words about datasets")
struct DatasetWordsTests {
    @Test("progress tells rows, bytes and the time that is left")
    func progress() {
        let line = DatasetProgress.line(
            share: 0.25, rows: 1_000_000, bytes: 1_234_567_890, elapsed: .seconds(4))
        #expect(line == "█████░░░░░░░░░░░░░░░ 25 %, 1000000 rows, 250000 rows/s, 1.2 GB, about 12s left")
        #expect(DatasetProgress.size(999) == "999 B")
    }

    @Test("a question of several lines is a comment of one")
    func comment() {
        let answer = Answer(
            name: "n", question: "How often did a\nb\r\nc happen?", columns: [], rows: [], sql: "SELECT 1")
        #expect(
            AnswerFiles.sql([answer]).hasSuffix(
                "\n\n-- name: n\n-- How often did a b c happen?\nSELECT 1;\n"))
    }
}
