import Accounting
import Measurement
import Reporting
import Scenario
import Testing
import Timebase
import World

@testable import Beaconswarm

@Suite("How a load is judged")
struct CapacityJudgeTests {
    static let start = Instant(milliseconds: 1_767_571_200_000)
    static let range = start + .seconds(20)..<start + .seconds(40)

    /// Ten requests a second of which a share fails or dies, with its process unless otherwise said, and stores of the
    /// given growth.
    static func measurement(
        failing: Int = 0, dying: Int = 0, of failure: RequestFailure = .processDied, losing: Int = 0,
        rows: (Int64) -> UInt64 = { _ in 0 }
    ) -> StepMeasurement {
        var recorder = RunRecorder(start: start, populationCount: 1, measured: range)
        for index in 0..<400 {
            let planned = start + .milliseconds(Int64(index) * 100)
            recorder.noteStart(plannedAt: planned, population: 0)
            var sample = RequestSample(plannedAt: planned, finishedAt: planned + .milliseconds(1))
            sample.eventCount = 1
            sample.status = index % 100 < failing ? 503 : 200
            if index % 100 >= 100 - dying {
                sample.status = 0
                sample.failure = failure
            }
            sample.isAcknowledged = sample.status == 200
            recorder.note(sample, population: 0)
        }
        for second in Int64(1)...40 {
            for index in 0..<10 {
                let at = start + .seconds(second) - .milliseconds(500)
                let isLost = index < losing && second % 10 == 0
                let event = SealedEvent(
                    id: EventID(device: 0, sequence: UInt32(second) * 10 + UInt32(index)), label: 0,
                    attempts: 1,
                    disposition: isLost ? .lost(.killed) : .delivered, capturedAt: at, ackedAt: at)
                recorder.note([event], population: 0)
            }
            var gauges = TimeSeries.Gauges()
            gauges.storedRows = rows(second)
            recorder.note(
                gauges: gauges, captured: UInt64(second) * 10, population: 0,
                at: start + .seconds(second) - Interval(nanoseconds: 1))
        }
        guard let window = recorder.window else { preconditionFailure("a window was asked for") }
        return StepMeasurement(window: window, series: recorder.series)
    }

    func judged(
        _ measurement: StepMeasurement, control: StepMeasurement?, thresholds: [Threshold] = []
    ) throws -> CapacityReport.Step {
        let judge = CapacityJudge(
            conditions: CapacityConditions(thresholds), populations: ["a"],
            length: StepLength(fixed: nil, flushInterval: .seconds(1), conditions: []))
        var step = CapacityReport.Step(
            number: 1, purpose: "climb", load: 100, devices: 100, warmUpSeconds: 20, windowSeconds: 20)
        _ = try judge.judge(measurement, control: { () throws(CommandFailure) in control }, into: &step)
        return step
    }

    @Test("stores that grow as they do with a collector without limits are no overload; beyond that they are")
    func growth() throws {
        let growing = Self.measurement { UInt64($0) * 5 }
        #expect(try judged(growing, control: nil).verdict == .broke)
        let acquitted = try judged(growing, control: growing)
        #expect(acquitted.verdict == .held && acquitted.storesGrowBeyond == 0)
        let faster = try judged(Self.measurement { UInt64($0) * 7 }, control: growing)
        #expect(faster.verdict == .broke)
        #expect(faster.reasons.first?.contains("stores grow by 2.0 rows/s more than") == true)
    }

    @Test("a load that broke names the failures of uploads without an answer")
    func failures() throws {
        let refused = try judged(Self.measurement(failing: 5, dying: 10, of: .refused), control: nil)
        #expect(refused.verdict == .broke)
        #expect(refused.reasons.last == "Uploads without a whole answer: 20 refused.")
        let answered = try judged(Self.measurement(failing: 5), control: nil)
        #expect(answered.verdict == .broke && !answered.reasons.contains { $0.contains("whole answer") })
    }

    @Test("a target is looked for where it refused connections, or answered nothing")
    func doubts() {
        #expect(!Self.measurement().mayHaveLostTarget)
        #expect(!Self.measurement(failing: 100).mayHaveLostTarget)
        #expect(!Self.measurement(dying: 50, of: .timedOut).mayHaveLostTarget)
        #expect(Self.measurement(dying: 1, of: .refused).mayHaveLostTarget)
        var silent = Self.measurement(dying: 100, of: .timedOut)
        #expect(silent.mayHaveLostTarget)
        silent.wasCut = true
        #expect(!silent.mayHaveLostTarget)
    }

    @Test("the control is asked for only where a load does not hold by itself")
    func lazily() throws {
        let judge = CapacityJudge(
            conditions: CapacityConditions([]), populations: ["a"],
            length: StepLength(fixed: nil, flushInterval: .seconds(1), conditions: []))
        var step = CapacityReport.Step(
            number: 1, purpose: "climb", load: 100, devices: 100, warmUpSeconds: 20, windowSeconds: 20)
        var asked = 0
        let control = { () throws(CommandFailure) -> StepMeasurement? in
            asked += 1
            return nil
        }
        #expect(try judge.judge(Self.measurement(), control: control, into: &step) == nil)
        #expect(step.verdict == .held && asked == 0)
        // Of a load that broke, what was served is told: four fifths.
        let served = try judge.judge(Self.measurement(failing: 20), control: control, into: &step)
        #expect(asked == 1 && served == 80)
    }

    @Test("events that die with their process are lost with any collector; more than these are overload")
    func losses() throws {
        let control = Self.measurement(losing: 2)
        #expect(try judged(Self.measurement(losing: 2), control: control).verdict == .held)
        #expect(try judged(Self.measurement(losing: 2), control: Self.measurement()).verdict == .broke)
        let asked = [try CapacityScenario.threshold("events_lost", "rate==0")]
        #expect(
            try judged(Self.measurement(losing: 2), control: control, thresholds: asked).verdict == .broke)
    }

    @Test("uploads that end with their app's process are no refusals")
    func deaths() throws {
        let step = try judged(Self.measurement(dying: 5), control: nil)
        #expect(step.verdict == .held && step.failed == 0)
        #expect(try judged(Self.measurement(failing: 2, dying: 5), control: nil).verdict == .broke)
    }

    @Test("leaves out what a collector without limits does not keep, and says what it was there")
    func controlled() throws {
        let control = Self.measurement(losing: 5).window
        let thresholds = try [
            CapacityScenario.threshold("http_req_failed", "rate>0.1"),
            CapacityScenario.threshold("events_lost{population:a}", "rate<0.01"),
            CapacityScenario.threshold("http_req_connecting", "p(95)<100"),
            CapacityScenario.threshold("http_req_duration", "p(95)<100"),
        ]
        let conditions = CapacityConditions(thresholds, control: control, populations: ["a"])
        #expect(conditions.thresholds.map(\.metric) == ["http_req_connecting", "http_req_duration"])
        #expect(conditions.warnings.count == 2)
        #expect(conditions.warnings[1].contains("does not keep it either: there it is 5.00 %"))
    }

    @Test("the load that breaks is above the one that holds in every unit, whatever was measured there")
    func order() throws {
        var session = try CapacitySessionTests().session([
            CapacityScenario.threshold("http_req_failed", "rate<0.01")
        ])
        while let plan = session.next() {
            var target = FakeTarget(capacity: 300)
            // An overloaded target makes its devices wait, so it gets fewer requests.
            if plan.load > 300 { target.requestsPerDevice = 0.5 }
            if plan.load > 300 { target.capacity = 100 }
            _ = try session.note(target.measure(plan), of: plan)
        }
        let report = session.finished(wallSeconds: 1)
        let (holds, breaks) = (try #require(report.holds), try #require(report.breaks))
        let measured = report.steps.first { $0.load == breaks.load }?.requestsOffered ?? .infinity
        #expect(measured < holds.requestsOffered)
        #expect(holds.load < breaks.load && holds.devices < breaks.devices)
        #expect(holds.requestsOffered < breaks.requestsOffered && holds.eventsOffered < breaks.eventsOffered)
    }
}

@Suite("How far a load that held is from its bounds")
struct HoldMarginTests {
    /// A window of 20 s with failures in bursts, from a generator of numbers.
    func series(_ state: inout UInt64, share: Double, burst: Int) -> TimeSeries {
        var series = TimeSeries(start: CapacityJudgeTests.start)
        for second in Int64(0)..<40 {
            var failures: UInt64 = 0
            for _ in 0..<(50 / burst) {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                if Double(state >> 11) / 0x1p53 < share { failures += UInt64(burst) }
            }
            var counts = Tally()
            counts.requests = 50
            counts.failures = failures
            series.update(at: CapacityJudgeTests.start + .seconds(second), counts)
        }
        return series
    }

    func share(_ series: TimeSeries) -> Double {
        let seconds = series.buckets[20..<40]
        return Double(seconds.reduce(0) { $0 + $1.failures }) / Double(seconds.reduce(0) { $0 + $1.requests })
    }

    // The error is known: of loads that three windows pass with a margin, about one window in twenty breaks. Of those
    // that three windows merely pass, many more do. Bursts of five leave two of them to a window at the bound.
    @Test("three windows that pass with a margin are followed by one that passes", arguments: [1, 5])
    func error(burst: Int) throws {
        let condition = try CapacityScenario.threshold("http_req_failed", "rate<0.01")
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        var (passed, broken, narrow, narrowBroken) = (0, 0, 0, 0)
        for round in 0..<4000 {
            // Loads of all kinds around the bound.
            let rate = 0.014 * Double(round % 100) / 100
            var margin = try #require(HoldMargin(condition))
            var allHeld = true
            for _ in 0..<3 {
                let series = series(&state, share: rate, burst: burst)
                allHeld = allHeld && share(series) < 0.01
                margin.add(condition, series, window: CapacityJudgeTests.range)
            }
            guard allHeld else { continue }
            let breaks = share(series(&state, share: rate, burst: burst)) >= 0.01
            if margin.isClose {
                narrow += 1
                narrowBroken += breaks ? 1 : 0
            } else {
                passed += 1
                broken += breaks ? 1 : 0
            }
        }
        #expect(passed > 300 && narrow > 100)
        #expect(Double(broken) <= 0.07 * Double(passed), "\(broken) of \(passed)")
        #expect(Double(narrowBroken) > 0.1 * Double(narrow), "\(narrowBroken) of \(narrow)")
    }

    @Test("is asked of bounds on shares of the whole fleet, percentiles among them")
    func kinds() throws {
        func margin(_ metric: String, _ expression: String) throws -> HoldMargin? {
            HoldMargin(try CapacityScenario.threshold(metric, expression))
        }
        #expect(try margin("http_req_duration", "p(95)<250")?.bound == 1 - 0.95)
        #expect(try margin("http_req_failed", "rate<=0.02")?.bound == 0.02)
        #expect(try margin("http_req_failed", "rate==0") == nil)
        #expect(try margin("http_req_failed{population:a}", "rate<0.01") == nil)
        #expect(try margin("http_req_duration", "p(95)>250") == nil)
        var slow = try #require(try margin("http_req_duration", "p(90)<100"))
        var series = TimeSeries(start: CapacityJudgeTests.start)
        for second in Int64(0)..<40 {
            series.update(at: CapacityJudgeTests.start + .seconds(second)) { bucket in
                for index in 0..<20 { bucket.duration.record(.milliseconds(index == 0 ? 150 : 50)) }
            }
        }
        let condition = try CapacityScenario.threshold("http_req_duration", "p(90)<100")
        slow.add(condition, series, window: CapacityJudgeTests.range)
        #expect(slow.share == 0.05 && slow.expected > 0.05 && !slow.isClose)
    }
}
