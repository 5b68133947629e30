import Accounting
import DeviceSDK
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Lines of a trace")
struct TraceLineTests {
    @Test("a stop of all uploads is written into a trace and read again", arguments: [true, false])
    func latchLine(isLatched: Bool) throws {
        let step = TraceStep(at: Instant(nanoseconds: 5), .latched(isLatched))
        let read = try #require(TraceLine.read(Array(TraceLine.text(step, of: 3).utf8)))
        guard case .latched(isLatched) = read.step.what else {
            Issue.record("read as \(read.step)")
            return
        }
        #expect(read.device == 3 && read.step.at == step.at)
    }

    @Test(
        "an event's fate is written into a trace and read again, with the name of one that carries no id",
        arguments: [nil, NaturalKey(high: .max, low: 1)])
    func sealedLine(key: NaturalKey?) throws {
        let event = SealedEvent(
            id: EventID(device: 3, sequence: 4), label: 2, attempts: 1, disposition: .rejected(status: 413),
            capturedAt: Instant(nanoseconds: 1), ackedAt: .distantFuture, naturalKey: key)
        let step = TraceStep(at: Instant(nanoseconds: 5), .sealed(event))
        let read = try #require(TraceLine.read(Array(TraceLine.text(step, of: 3).utf8)))
        guard case .sealed(let again) = read.step.what else {
            Issue.record("read as \(read.step)")
            return
        }
        #expect(again.id == event.id && again.label == 2 && again.attempts == 1 && again.naturalKey == key)
        #expect(again.disposition == event.disposition && again.capturedAt == event.capturedAt)
        #expect(again.ackedAt == .distantFuture)
    }

    @Test("what is not kept is written into a trace and read again", arguments: [true, false])
    func traceLine(isDryRun: Bool) throws {
        let step = TraceStep(at: Instant(nanoseconds: 5), .notKept(upload: 7, isDryRun: isDryRun))
        let read = try #require(TraceLine.read(Array(TraceLine.text(step, of: 3).utf8)))
        guard case .notKept(7, isDryRun) = read.step.what else {
            Issue.record("read as \(read.step)")
            return
        }
        #expect(read.device == 3 && read.step.at == step.at)
    }

    @Test(
        "numbers and times that no run has are no line of a trace",
        arguments: [
            #"{"device":3,"at_ns":-9000000000000000000,"step":"died"}"#,
            #"{"device":3,"at_ns":9000000000000000000,"step":"died"}"#,
            #"{"device":3,"at_ns":5,"step":"updated","rollout":-9223372036854775808}"#,
            #"{"device":3,"at_ns":5,"step":"captured","first":0,"count":1,"stored":9223372036854775807}"#,
        ])
    func incredible(line: String) {
        #expect(TraceLine.read(Array(line.utf8)) == nil)
    }
}
