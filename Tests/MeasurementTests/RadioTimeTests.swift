import Snapshots
import Testing
import Timebase

@testable import Measurement

@Suite("How long radios were awake")
struct RadioTimeTests {
    let start = Instant(milliseconds: 1_700_000_000_000)

    @Test("adds up more time than any clock has: a million phones are on the radio for centuries in a month")
    func centuriesOnTheRadio() throws {
        let century = TotalTime(.century)
        let awake = century + century + century
        var recorder = RunRecorder(
            start: start, populationCount: 2, measured: start..<start + .seconds(9))
        for population in 0..<2 {
            recorder.note(
                gauges: TimeSeries.Gauges(), captured: 0, radioTime: century, population: population,
                at: start)
            recorder.note(
                gauges: TimeSeries.Gauges(), captured: 0, radioTime: awake, population: population,
                at: start + .seconds(1))
        }
        var writer = SnapshotWriter()
        writer.write(recorder)
        var reader = SnapshotReader(writer.bytes[...])
        let again: RunRecorder = try reader.value()
        for total in [recorder.total, try #require(recorder.window).total, again.total] {
            #expect(total.radioTime == awake + awake)
            let metric = try #require(total.metrics(seconds: 2).first { $0.name == "radio_seconds" })
            guard case .counter(let count, let perSecond) = metric.value else {
                Issue.record("\(metric.value)")
                return
            }
            // Six centuries of 36,525 days.
            #expect(count == 6 * 36_525 * 86_400 && perSecond == count / 2)
        }
    }
}
