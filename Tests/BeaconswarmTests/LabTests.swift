import Testing
import Timebase

@testable import Beaconswarm

@Suite("Seeds and cells")
struct LabTests {
    @Test("a number counts from the scenario's own seed; a range is what it says")
    func ranges() throws {
        #expect(try SeedRange.parse(nil, first: 42, hasOwnSeed: false) == [42])
        #expect(try SeedRange.parse("3", first: 42, hasOwnSeed: true) == [42, 43, 44])
        #expect(try SeedRange.parse("7..9", first: 42, hasOwnSeed: false) == [7, 8, 9])
        #expect(try SeedRange.parse("7..7", first: 42, hasOwnSeed: false) == [7])
    }

    @Test(
        "what is no range is wrong usage",
        arguments: ["0", "-1", "x", "", "1..", "..3", "9..7", "1..2..3", "1..200000", "99999999999"])
    func wrong(_ text: String) {
        #expect(throws: CommandFailure.self) { try SeedRange.parse(text, first: 1, hasOwnSeed: false) }
    }

    @Test("a range has no use for another seed, nor can seeds run over")
    func conflicts() {
        #expect(throws: CommandFailure.self) { try SeedRange.parse("1..2", first: 1, hasOwnSeed: true) }
        #expect(throws: CommandFailure.self) { try SeedRange.parse("5", first: .max - 2, hasOwnSeed: false) }
    }

    @Test("the last seed of all is one, and what would come after it is told as such")
    func last() throws {
        let last = UInt64.max
        #expect(try SeedRange.parse("1", first: last, hasOwnSeed: true) == [last])
        #expect(try SeedRange.parse("3", first: last - 2, hasOwnSeed: true) == [last - 2, last - 1, last])
        #expect(try SeedRange.parse("\(last)..\(last)", first: 1, hasOwnSeed: false) == [last])
        #expect(try SeedRange.seeds(2, from: last - 1, option: "--repeat") == [last - 1, last])
        for option in ["--seeds", "--repeat"] {
            let failure = #expect(throws: CommandFailure.self) {
                try SeedRange.seeds(4, from: last - 2, option: option)
            }
            let told = "\(option) 4: there are not so many seeds from \(last - 2) on, up to \(last)"
            #expect(failure?.message == told && failure?.code == .usage)
        }
    }

    @Test("a line of progress tells what is done and what is left")
    func progress() {
        let line = CellProgress.line(done: 12, running: 2, count: 40, share: 0.25, elapsed: .seconds(30))
        #expect(line == "█████░░░░░░░░░░░░░░░ 12 of 40 simulations, 2 running, about 1m30s left")
        let single = CellProgress.line(done: 0, running: 1, count: 1, share: 0, elapsed: .seconds(1))
        #expect(single == "░░░░░░░░░░░░░░░░░░░░ 0 of 1 simulation, 1 running")
        let first = CellProgress.line(done: 0, running: 2, count: 40, share: 0, elapsed: .seconds(1))
        #expect(!first.contains("left"))
        let begun = CellProgress.line(done: 0, running: 2, count: 9, share: 1e-9, elapsed: .milliseconds(2))
        #expect(!begun.contains("left"))
    }

    @Test("results come in the order of the cells, whatever the threads; the first failure ends the others")
    func pool() throws {
        for threads in [1, 2, 7] {
            let pool = CellPool(
                interruption: Interruption(listens: false), progress: CellProgress(count: 20, console: .mute))
            let results = try pool.run(20, threads: threads) { index, _, _ in index * index }
            #expect(results == (0..<20).map { $0 * $0 })
        }
        let pool = CellPool(
            interruption: Interruption(listens: false), progress: CellProgress(count: 9, console: .mute))
        #expect(throws: CommandFailure.self) {
            try pool.run(9, threads: 2) { index, control, _ -> Int? in
                if index == 3 { throw CommandFailure(.internalError, "no disk") }
                return control.isRequested ? nil : index
            }
        }
    }
}
