import Accounting
import DeviceSDK
import Testing
import Timebase
import World

@testable import Beaconswarm

@Suite("Stories")
struct StoryTests {
    @Test("of what happens at one instant, causes are told before effects")
    func causesFirst() async throws {
        let bench = try await StoryBench()
        let told = bench.told([
            bench.captured(0..<4, at: 1),
            bench.sealed(0, .evicted(.expired), at: 10), bench.asked(0, [1, 2, 3], at: 10),
            bench.ended(0, .failed(.refused), at: 10),
            TraceStep(at: bench.at(20), .network(nil)), bench.asked(1, [1, 2, 3], at: 20),
            bench.ended(1, .failed(.refused), at: 21),
            TraceStep(at: bench.at(30), .updated(1)), bench.asked(2, [1, 2, 3], at: 30),
            bench.ended(2, .failed(.refused), at: 30), TraceStep(at: bench.at(30), .died),
        ])
        let beginnings = [
            "session 0 began", "0-0 evicted", "upload 0 ", "the timeline put the device back", "upload 1 ",
            "the app was launched with the rules of a roll-out", "upload 2 ", "the app",
        ]
        #expect(told.count == beginnings.count)
        for (text, beginning) in zip(told, beginnings) { #expect(text.hasPrefix(beginning)) }
    }

    @Test("an SDK that stops all uploads is told of, in the story of the device and of what waits")
    func latch() async throws {
        let bench = try await StoryBench()
        let steps = [
            TraceStep(at: bench.at(0), .latched(true)), bench.captured(0..<4, at: 1),
            bench.asked(0, [1], at: 10), bench.ended(0, .failed(.refused), at: 10),
            TraceStep(at: bench.at(10), .latched(true)), TraceStep(at: bench.at(20), .latched(false)),
            bench.sealed(3, .pending(.stored), at: 60),
        ]
        let stopWords = "the SDK stopped all uploads"
        let stop = "\(stopWords) (retry.latch, retry.exhausted)"
        let end = "the SDK may upload again"
        let told = bench.told(steps)
        #expect(told.count { $0.hasPrefix(stop) } == 2 && told.count { $0.hasPrefix(end) } == 1)
        let upload = try #require(told.firstIndex { $0.hasPrefix("upload 0 ") })
        #expect(told[upload + 1].hasPrefix(stop))
        // Who is captured while nothing may leave is told so at once.
        let waiting = bench.told(of: 3, steps)
        #expect(waiting[1] == "stored: 4 rows on the device now; \(stopWords) at +00:00:00.000")
        #expect(waiting.count { $0.hasPrefix(stop) } == 1 && waiting.count { $0.hasPrefix(end) } == 1)
    }

    @Test("repeats are told of where an event is in several uploads of a sentence")
    func repeats() async throws {
        let bench = try await StoryBench()
        func uploads(_ first: [UInt32], _ second: [UInt32]) -> String {
            let told = bench.told([
                bench.captured(0..<4, at: 1), bench.asked(0, first, at: 10),
                bench.ended(0, .failed(.refused), at: 10), bench.asked(1, second, at: 20),
                bench.ended(1, .failed(.refused), at: 20),
            ])
            return told.last ?? ""
        }
        #expect(uploads([0, 1], [2]).hasPrefix("uploads 0 to 1 with 3 events were both refused"))
        #expect(
            uploads([0, 1], [1, 2]).hasPrefix("uploads 0 to 1 with 4 events (repeats counted) were both"))
    }

    @Test("several that were lost alike are told of as several")
    func plural() async throws {
        let bench = try await StoryBench()
        func loss(_ disposition: Disposition, of count: UInt32) -> String? {
            bench.told((0..<count).map { bench.sealed($0, disposition, at: 9) }).last
        }
        #expect(
            loss(.evicted(.expired), of: 1)
                == "0-0 evicted: it had been stored for longer than the SDK keeps events (expired)")
        #expect(
            loss(.evicted(.expired), of: 3)
                == "0-0 and 2 more evicted: they had been stored for longer than the SDK keeps events (expired)"
        )
        let causes: [Disposition] = [
            .evicted(.storageLimit), .evicted(.expired), .rejected(status: 413), .retriesExhausted,
            .lost(.killed), .lost(.clearedUnsent), .lost(.storageError),
        ]
        for cause in causes {
            let text = try #require(loss(cause, of: 2))
            #expect(text.contains(" they ") || text.contains(" them "))
            #expect(text.firstMatch(of: /\bit (was|had|is|up|away)\b/) == nil, "\(text)")
        }
    }

    @Test(
        "an upload that clears away what it did not carry is told of, and that this SDK kept nothing afterwards"
    )
    func clearing() async throws {
        let bench = try await StoryBench(#""system": "trackingsdk", "#)
        let clearing =
            "upload 0, which did not carry it, was answered 200, and with what it carried the SDK cleared the event away"
        let told = bench.told(
            of: 1,
            [
                bench.captured(0..<1, at: 1), bench.asked(0, [0], at: 1), bench.captured(1..<2, at: 2),
                bench.asked(1, [0, 1], at: 2), bench.asked(2, [0, 1], at: 3),
                bench.ended(0, .answered(status: 200, isAcknowledged: true), at: 4),
                bench.ended(1, .answered(status: 429, isAcknowledged: false), at: 5),
                bench.ended(2, .failed(.reset), at: 6),
                bench.sealed(1, .lost(.clearedUnsent), from: 2, at: 6),
            ])
        #expect(told.count(where: { $0 == clearing }) == 1)
        #expect(!told.contains { $0.contains("kept the event") })
        let atOnce = bench.told(
            of: 1,
            [
                bench.captured(0..<1, at: 1), bench.asked(0, [0], at: 1), bench.captured(1..<2, at: 2),
                bench.ended(0, .answered(status: 200, isAcknowledged: true), at: 4),
                bench.sealed(0, .delivered, at: 4), bench.sealed(1, .lost(.clearedUnsent), from: 2, at: 4),
            ])
        #expect(atOnce.dropLast().last == clearing)
        #expect(
            atOnce.last
                == "lost, 2 s after its capture: the SDK cleared it away, and no upload with it had been a success (cleared_unsent)"
        )
    }

    @Test("what leaves by itself is not put down to the upload that has just ended")
    func notCleared() async throws {
        let bench = try await StoryBench()
        let told = bench.told(
            of: 1,
            [
                bench.captured(0..<2, at: 1), bench.asked(0, [0], at: 2),
                bench.ended(0, .answered(status: 200, isAcknowledged: true), at: 4),
                bench.sealed(0, .delivered, at: 4), bench.sealed(1, .lost(.clearedUnsent), at: 4),
            ])
        #expect(!told.contains { $0.contains("which did not carry it") })
    }

    @Test("an event that is gone at the instant of its capture is not told of as stored")
    func neverStored() async throws {
        let bench = try await StoryBench()
        func told(lostAt seconds: Int64, from: Int64 = 1) -> [String] {
            bench.told(
                of: 0,
                [
                    bench.captured(0..<1, at: 1),
                    bench.sealed(0, .evicted(.storageLimit), from: from, at: seconds),
                ])
        }
        #expect(told(lostAt: 1).count == 2)
        #expect(told(lostAt: 1).last?.contains("or it is larger than the bound (storage_limit)") == true)
        #expect(told(lostAt: 2).dropFirst().first == "stored: 1 row on the device now")
        #expect(told(lostAt: 1, from: -60).count == 2)
        #expect(told(lostAt: 2, from: -60).dropFirst().first == "the device appeared with it in its store")
    }

    @Test(
        "what the collector says to have taken and does not keep is told of",
        arguments: [
            ("off", #"{"at": "20s", "for": "20s", "collector": {"fault": "wrongContent"}}"#, "swallowed"),
            ("debugOnly", "", "dry_run"),
        ])
    func notKept(debugMode: String, timeline: String, name: String) async throws {
        let bench = try await StoryBench(
            StoryBench.sensors + #""sdk": {"debugMode": "\#(debugMode)"}, "#, timeline: timeline)
        let steps = try bench.played()
        let passed = try #require(
            steps.compactMap { step -> UInt32? in
                if case .notKept(let upload, let isDryRun) = step.what, isDryRun == (name == "dry_run") {
                    return upload
                }
                return nil
            }.first)
        let carried = try #require(
            steps.compactMap { step -> [UInt32]? in
                guard case .asked(let request) = step.what,
                    request.number == RequestNumber(kind: .upload, number: passed)
                else { return nil }
                return request.carried
            }.first)
        let told = bench.told(of: try #require(carried.first), steps)
        #expect(
            told.contains { $0.hasSuffix(": success, but the collector did not keep its events (\(name))") })
        #expect(
            told.last?.hasPrefix("delivered, ") == true && told.last?.hasSuffix(", as the SDK has it") == true
        )
        let uploads = bench.told(steps).filter { $0.hasPrefix("upload") }
        #expect(
            uploads.contains {
                $0.contains(", but the collector did not keep ") && $0.contains("(\(name)); ")
            })
        // Neighbours that were kept are not in its sentence.
        #expect(name == "dry_run" || uploads.contains { !$0.contains("did not keep") })
        let sums = DeviceStory(steps, bench.context, joins: true).sums
        #expect(
            sums.contains {
                $0.wholeMatch(of: /delivered \d+ \(the collector did not keep \d+ of them\)/) != nil
            })
    }
}
