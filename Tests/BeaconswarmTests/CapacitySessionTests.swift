import Accounting
import AppModel
import Measurement
import Reporting
import Scenario
import Testing
import Timebase

@testable import Beaconswarm

/// Stands for a target that answers so many requests per second and refuses the rest.
struct FakeTarget {
    let start = Instant(milliseconds: 1_767_571_200_000)
    var capacity: Double
    /// Answers take so long.
    var latency = Interval.milliseconds(10)
    /// Whether what it cannot serve waits, instead of being refused.
    var queues = false
    /// Per second.
    var requestsPerDevice = 1.0

    /// Every device sends one event per second, each in a request of its own.
    func measure(_ plan: StepPlan) -> StepMeasurement {
        let range = start + plan.warmUp..<start + plan.warmUp + plan.window
        var recorder = RunRecorder(start: start, populationCount: 1, measured: range)
        let rate = plan.load * requestsPerDevice
        let seconds = (plan.warmUp + plan.window).fractionalSeconds
        let served = min(rate, capacity)
        for index in 0..<Int(rate * seconds) {
            let planned = start + .fractional(seconds: Double(index) / rate)
            recorder.noteStart(plannedAt: planned, population: 0)
            let wait = queues ? Interval.fractional(seconds: Double(index) * (1 / served - 1 / rate)) : .zero
            var sample = RequestSample(plannedAt: planned, finishedAt: planned + wait + latency)
            sample.eventCount = 1
            let isServed =
                queues || Int(Double(index + 1) * served / rate) > Int(Double(index) * served / rate)
            sample.status = isServed ? 200 : 503
            sample.isAcknowledged = isServed
            guard sample.finishedAt < start + .fractional(seconds: seconds) else { continue }
            recorder.note(sample, population: 0)
            guard isServed else { continue }
            let event = SealedEvent(
                id: EventID(device: 0, sequence: UInt32(index)), label: 0, attempts: 1,
                disposition: .delivered,
                capturedAt: planned, ackedAt: sample.finishedAt)
            recorder.note([event], population: 0)
        }
        for second in 1...Int64(seconds) {
            var gauges = TimeSeries.Gauges()
            gauges.storedRows = UInt64(max(0, rate - served) * Double(second))
            recorder.note(
                gauges: gauges, captured: UInt64(rate * Double(second)), population: 0,
                at: start + .seconds(second) - Interval(nanoseconds: 1))
        }
        guard let window = recorder.window else { preconditionFailure("a window was asked for") }
        return StepMeasurement(window: window, series: recorder.series)
    }
}

/// A small scenario of constant load.
enum CapacityScenario {
    static func document(_ extra: String = "", persona: String = #"{"preset": "steady", "rate": "1/s"}"#)
        throws
        -> ScenarioDocument
    {
        let text = """
            {"name": "x", "duration": "1m", "populations": [
              {"name": "a", "devices": 80, "system": "sensors", "persona": \(persona),
               "sdk": {"upload": {"flushInterval": "1s"}}}]\(extra)}
            """
        switch ScenarioLoader.load(bytes: Array(text.utf8), name: "x") {
        case .success(let document): return document
        case .failure(let problems):
            throw CommandFailure(.invalidScenario, problems.problems.map { $0.text(file: "x") }.joined())
        }
    }

    static func threshold(_ metric: String, _ expression: String) throws -> Threshold {
        try Threshold.parse(metric: metric, expression: expression)
    }
}

@Suite("A search for a capacity, played")
struct CapacitySessionTests {
    func session(_ thresholds: [Threshold], numbersGoOn: Bool = true) throws -> CapacitySession {
        let document = try CapacityScenario.document()
        let conditions = CapacityConditions(thresholds)
        let report = CapacityReport(
            toolVersion: "0", scenario: .init(name: "x", description: "", sha256: "", overrides: []),
            mode: .live,
            seed: 1, startedAt: Instant(milliseconds: 0),
            run: .init(command: [], host: "", operatingSystem: "", cores: 1, memoryBytes: 0, target: ""),
            scaling: .devices, precision: 0.02, conditions: conditions.described)
        let search = CapacitySearch.Settings(from: 10, floor: 1, maximum: 10_000, quantum: 1)
        return CapacitySession(
            settings: CapacitySettings(search: search, scaling: .devices), document: document,
            conditions: conditions, report: report, forecast: (1, 1), numbersGoOn: numbersGoOn)
    }

    func play(_ session: inout CapacitySession, _ target: FakeTarget) throws -> CapacityReport {
        while let plan = session.next() { _ = try session.note(target.measure(plan), of: plan) }
        return session.finished(wallSeconds: 1)
    }

    @Test("finds a limit by failed requests, and says so")
    func refusals() throws {
        var session = try session([CapacityScenario.threshold("http_req_failed", "rate<0.01")])
        let report = try play(&session, FakeTarget(capacity: 300))
        #expect(report.ending == .knee && report.exitCode == 0)
        let holds = try #require(report.holds)
        #expect(abs(holds.requestsOffered / 300 - 1) < 0.04, "\(report.reasons)")
        #expect(report.brokeFirst.first?.contains("http_req_failed") == true)
        #expect(report.reasons[0].hasPrefix("Holds at "))
    }

    @Test("finds a limit by backlogs where every threshold holds")
    func backlog() throws {
        var session = try session([CapacityScenario.threshold("http_req_failed", "rate<0.01")])
        let report = try play(&session, FakeTarget(capacity: 300, queues: true))
        let holds = try #require(report.holds)
        #expect(report.ending == .knee)
        #expect(abs(holds.requestsOffered / 300 - 1) < 0.05, "\(report.reasons)")
        #expect(report.brokeFirst.contains { $0.contains("fell behind") || $0.contains("Not steady") })
    }

    @Test("gives every device of the search a number of its own, where stores outlive a step")
    func numbers() throws {
        var session = try session([])
        var next: UInt32 = 0
        for _ in 0..<4 {
            let plan = try #require(session.next())
            #expect(plan.firstDevice == next)
            next += UInt32(plan.document.deviceCount)
            _ = try session.note(FakeTarget(capacity: 1e6).measure(plan), of: plan)
        }
        var again = try self.session([], numbersGoOn: false)
        let first = try #require(again.next())
        _ = try again.note(FakeTarget(capacity: 1e6).measure(first), of: first)
        #expect(again.next()?.firstDevice == 0)
    }

    @Test("ends with 96 and no claim where the generator could not follow")
    func generator() throws {
        var session = try session([])
        while let plan = session.next() {
            var measurement = FakeTarget(capacity: 50).measure(plan)
            if plan.load > 30 { measurement.generatorProblem = "The generator was late." }
            _ = try session.note(measurement, of: plan)
        }
        let report = session.finished(wallSeconds: 1)
        #expect(report.ending == .generator && report.exitCode == 96)
        #expect(report.breaks == nil && report.holds?.load == 29)
        #expect(report.reasons.contains("The generator was late."))
    }

    @Test("books that do not balance end with 95, whatever was found")
    func books() throws {
        var session = try session([])
        while let plan = session.next() {
            var measurement = FakeTarget(capacity: 100).measure(plan)
            if plan.load == 160 { measurement.balance = 3 }
            _ = try session.note(measurement, of: plan)
        }
        #expect(session.finished(wallSeconds: 1).exitCode == 95)
    }

    @Test("a target that is gone ends the search: nothing broke, and what held is told")
    func gone() throws {
        var session = try session([])
        let lost = "http://127.0.0.1:9: Connection refused"
        while let plan = session.next() {
            var measurement = FakeTarget(capacity: plan.number < 3 ? 1e6 : 0).measure(plan)
            if plan.number == 3 { measurement.lostTarget = lost }
            let step = try session.note(measurement, of: plan)
            #expect(step.verdict == (plan.number == 3 ? .unreachable : .held))
        }
        let report = session.finished(wallSeconds: 1, timeIsUp: true)
        #expect(report.steps.count == 3 && report.ending == .unreachable && report.exitCode == 99)
        #expect(report.holds?.load == 40 && report.breaks == nil && report.brokeFirst.isEmpty)
        let told =
            "The target cannot be connected to any more: \(lost); it went away during or before step 3."
        #expect(report.steps[2].reasons == [told])
        #expect(report.reasons[0].hasPrefix("\(told) It held at "))
        #expect(!report.reasons.contains { $0.contains("breaks at") })
    }

    @Test("a search that is cut short tells what it knows")
    func cut() throws {
        var session = try session([])
        for _ in 0..<2 {
            let plan = try #require(session.next())
            _ = try session.note(FakeTarget(capacity: 1e6).measure(plan), of: plan)
        }
        let plan = try #require(session.next())
        var measurement = FakeTarget(capacity: 1e6).measure(plan)
        measurement.wasCut = true
        #expect(try session.note(measurement, of: plan).verdict == .cut)
        let report = session.finished(wallSeconds: 1)
        #expect(report.ending == .interrupted && report.exitCode == 105)
        #expect(report.reasons[0].hasPrefix("The search was interrupted after 2 steps. It held at "))
        #expect(report.holds?.load == 40)
    }
}

@Suite("What a load has to keep, and for how long")
struct CapacityConditionsTests {
    @Test("leaves out what cannot be asked of a part of a run, and says so")
    func obstacles() throws {
        let thresholds = try [
            CapacityScenario.threshold("events_captured", "count>10000"),
            CapacityScenario.threshold("http_reqs", "rate>10"),
            CapacityScenario.threshold("retries", "rate<1"),
            CapacityScenario.threshold("events_duplicated", "rate<1"),
            CapacityScenario.threshold("http_req_duration", "p(99)<250"),
        ]
        let conditions = CapacityConditions(thresholds)
        #expect(conditions.thresholds.map(\.metric) == ["retries", "http_req_duration"])
        #expect(conditions.warnings.count == 3 && !conditions.usesDefaults)
        let assumed = CapacityConditions([thresholds[0]])
        #expect(
            assumed.usesDefaults && assumed.thresholds.map(\.metric) == ["http_req_failed", "events_lost"])
        #expect(assumed.warnings.count == 2 && assumed.warnings[1].hasPrefix("no threshold of the scenario"))
        let none = CapacityConditions([])
        #expect(none.usesDefaults && none.warnings.isEmpty)
    }

    @Test(
        "wants as many samples as a condition needs",
        arguments: [
            ("http_req_duration", "p(99)<250", 1000.0), ("http_req_duration", "p(95)<250", 200),
            ("http_req_failed", "rate<0.01", 891), ("http_req_failed", "rate<0.001", 8991),
            ("events_lost", "rate==0", 1000), ("freshness_within_1m", "rate>0.99", 891),
            ("event_freshness", "avg<1000", 100), ("http_req_failed", "rate<1e-30", 1e12),
        ])
    func samples(metric: String, expression: String, wanted: Double) throws {
        let threshold = try CapacityScenario.threshold(metric, expression)
        #expect(StepLength.samples(threshold).rounded() == wanted)
        let length = StepLength(fixed: nil, flushInterval: .seconds(4), conditions: [threshold])
        #expect(length.shortage(requests: 0, events: 0)?.contains("\(Int(wanted))") == true)
    }

    @Test("measures in whole flush intervals, no longer than needed, and twice as long to confirm")
    func windows() throws {
        let threshold = try CapacityScenario.threshold("http_req_duration", "p(99)<250")
        let length = StepLength(fixed: nil, flushInterval: .seconds(4), conditions: [threshold])
        #expect(length.window(.bisect, requestRate: 1000, eventRate: 1) == .seconds(12))
        #expect(length.window(.bisect, requestRate: 50, eventRate: 1) == .seconds(20))
        #expect(length.window(.climb, requestRate: 1, eventRate: 1) == .seconds(16))
        #expect(length.window(.confirm, requestRate: 50, eventRate: 1) == .seconds(40))
        let fixed = StepLength(fixed: .seconds(3), flushInterval: .seconds(4), conditions: [threshold])
        #expect(fixed.window(.climb, requestRate: 1, eventRate: 1) == .seconds(3))
        #expect(fixed.window(.recheck, requestRate: 1, eventRate: 1) == .seconds(6))
        #expect(length.shortage(requests: 999, events: 0)?.contains("1000 requests") == true)
        #expect(length.shortage(requests: 1000, events: 0) == nil)
    }

    @Test("tells growth from the wandering of stores")
    func growth() {
        let start = Instant(milliseconds: 0)
        func series(_ rows: (Int64) -> UInt64) -> TimeSeries {
            var series = TimeSeries(start: start)
            for second in Int64(0)..<30 {
                var gauges = TimeSeries.Gauges()
                gauges.storedRows = rows(second)
                series.setGauges(gauges, at: start + .seconds(second))
            }
            return series
        }
        let window = start + .seconds(10)..<start + .seconds(30)
        let flat = StoreGrowth(series { 1000 + UInt64($0 % 3) * 20 }, window: window)
        #expect(flat.certainRowsPerSecond < 1)
        let steep = StoreGrowth(series { 1000 + UInt64($0) * 50 + UInt64($0 % 3) * 20 }, window: window)
        #expect(steep.rowsPerSecond > 48 && steep.certainRowsPerSecond > 35)
        #expect(StoreGrowth(series { $0 < 10 ? UInt64($0) * 1000 : 9000 }, window: window).rowsPerSecond == 0)
    }
}
