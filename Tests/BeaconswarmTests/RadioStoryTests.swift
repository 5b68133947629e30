import Accounting
import DeviceSDK
import Testing
import Timebase
import World

@testable import Beaconswarm

@Suite("Times without a radio")
struct RadioStoryTests {
    /// A device that loses its radio for seven seconds of each twenty.
    private static func patchy(timeline: String = "", sdk: String = "{}") async throws -> StoryBench {
        func radio(_ dwell: String, _ next: String) -> String {
            #"{"dwell": "\#(dwell)", "regular": true, "to": {"\#(next)": 1}}"#
        }
        return try await StoryBench(
            StoryBench.sensors + #""network": "patchy", "sdk": \#(sdk), "#, timeline: timeline,
            networks:
                #""patchy": {"chain": {"wifi": \#(radio("13s", "none")), "none": \#(radio("7s", "wifi"))}}"#)
    }

    private static func isGap(_ text: String) -> Bool { text.hasPrefix("no radio") }

    @Test(
        "are those in which a device's own way has none and no entry of the timeline decides",
        arguments: [[], [(11, 21, "none"), (40, 60, "wifi")]] as [[(from: Int, until: Int, kind: String)]])
    func gaps(entries: [(from: Int, until: Int, kind: String)]) async throws {
        let timeline = entries.map { entry in
            #"{"at": "\#(entry.from)s", "for": "\#(entry.until - entry.from)s", "device": {"network": "\#(entry.kind)"}}"#
        }
        let bench = try await Self.patchy(timeline: timeline.joined(separator: ", "))
        let alone = try await Self.patchy()
        let gaps = bench.context.radioGaps
        #expect(!gaps.isEmpty && zip(gaps, gaps.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        for step in 0..<600 {
            let instant = bench.at(0) + .milliseconds(Int64(step) * 100)
            let isOverridden = entries.contains {
                bench.at(Int64($0.from)) <= instant && instant < bench.at(Int64($0.until))
            }
            let isGap = !isOverridden && alone.context.radio(at: instant) == .none
            #expect(gaps.contains { $0.contains(instant) } == isGap, "\(step)")
        }
    }

    @Test("are told of an event from its capture until its fate, one sentence for all since the one before")
    func ofEvents() async throws {
        let bench = try await Self.patchy(
            sdk: #"{"upload": {"flushInterval": "1m", "flushBulkSize": 10000}}"#)
        let steps = try bench.played()
        let gaps = bench.context.radioGaps.filter { $0.upperBound < bench.at(60) }
        #expect(gaps.count >= 2)
        let story = EventStory(of: 0, in: steps, bench.context).lines
        let (told, first) = (story.filter { Self.isGap($0.text) }, try #require(gaps.first))
        #expect(told.map(\.at) == [first.lowerBound])
        let end = bench.context.clock.offset(try #require(gaps.last).upperBound)
        let length = gaps.reduce(Interval.zero) { $0 + ($1.upperBound - $1.lowerBound) }
        #expect(
            told.first?.text
                == "no radio \(gaps.count) times until \(end), for \(StoryClock.words(length)) in all")
        #expect(story.map(\.at) == story.map(\.at).sorted())
        let device = DeviceStory(steps, bench.context, joins: true).lines
        #expect(device.filter { Self.isGap($0.text) } == told)
        let each = DeviceStory(steps, bench.context, joins: false).lines
        #expect(each.filter { Self.isGap($0.text) }.map(\.at) == gaps.map(\.lowerBound))
    }

    @Test("are told from the capture on where the radio was gone before")
    func sinceCapture() async throws {
        let bench = try await Self.patchy()
        let gap = try #require(bench.context.radioGaps.first { $0.lowerBound > bench.at(2) })
        let seconds = (gap.lowerBound - bench.at(0)).nanoseconds / 1_000_000_000 + 2
        let steps = [
            bench.captured(0..<1, at: seconds), bench.asked(0, [0], at: seconds + 60),
            bench.ended(0, .failed(.refused), at: seconds + 60),
        ]
        let told = EventStory(of: 0, in: Array(steps.prefix(1)), bench.context).lines.map(\.text)
        #expect(told.first?.hasPrefix("captured without a radio") == true && told.count == 2)
        let lines = EventStory(of: 0, in: steps, bench.context).lines
        #expect(lines.map(\.text).dropFirst(2).first?.hasPrefix("no radio") == true)
        #expect(lines.dropFirst(2).first?.at == bench.at(seconds))
    }

    @Test("count where something waits")
    func waiting() async throws {
        let bench = try await StoryBench()
        let steps = [
            bench.captured(0..<2, at: 10), bench.sealed(0, .delivered, at: 12),
            bench.sealed(1, .delivered, at: 15),
            bench.captured(2..<3, at: 20), bench.sealed(2, .suppressed(.consent), at: 20),
            bench.captured(3..<4, at: 30),
        ]
        let waiting = WaitingTimes(steps, until: bench.at(40))
        #expect(waiting.spans == [bench.at(10)..<bench.at(15), bench.at(30)..<bench.at(40)])
        func common(_ gaps: [ClosedRange<Int64>]) -> [Range<Instant>] {
            waiting.common(gaps.map { bench.at($0.lowerBound)..<bench.at($0.upperBound) })
        }
        #expect(common([1...10, 15...20, 18...30]).isEmpty)
        #expect(
            common([1...11, 12...13, 14...29])
                == [(10, 11), (12, 13), (14, 29)].map { bench.at($0)..<bench.at($1) })
        #expect(common([2...35, 36...50]) == [(10, 35), (36, 50)].map { bench.at($0)..<bench.at($1) })
    }

    @Test("do not part uploads that ended alike, and what began first is told first")
    func joined() async throws {
        let bench = try await StoryBench()
        func gap(_ from: Int64, _ until: Int64) -> StoryItem {
            StoryItem(
                at: bench.at(from), step: StoryItem.radio,
                what: .radio(RadioGaps(bench.at(from)..<bench.at(until))))
        }
        func upload(_ number: UInt32, at seconds: Int64, _ outcome: String) throws -> StoryItem {
            guard case .asked(let request) = bench.asked(number, [number], at: seconds).what else {
                throw TestFailure()
            }
            let upload = ToldUploads(
                request, began: bench.at(seconds), ended: bench.at(seconds), outcome: outcome)
            return StoryItem(at: bench.at(seconds), step: Int(seconds), what: .uploads(upload))
        }
        let items = try [
            upload(0, at: 1, "was cut"), gap(2, 3), upload(1, at: 4, "was cut"), gap(5, 7),
            upload(2, at: 8, "was lost"),
            gap(9, 100),
        ]
        let told = StoryJoiner(items, bench.context, joins: true).lines
        #expect(told.map(\.at) == [1, 2, 8, 9].map { bench.at($0) })
        #expect(told[0].text.hasPrefix("uploads 0 to 1 with 2 events were both cut, "))
        #expect(told[1].text == "no radio 2 times until +00:00:07.000, for 3 s in all")
        #expect(told[3].text == "no radio to the end of the run, for 1m31s")
        #expect(StoryJoiner(items, bench.context, joins: false).lines.map(\.at) == items.map(\.at))
    }

    private struct TestFailure: Error {}
}
