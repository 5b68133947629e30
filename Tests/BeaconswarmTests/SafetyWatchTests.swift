import LiveEngine
import Reporting
import Testing
import Timebase

@testable import Beaconswarm

/// A watch that is told every tenth of a second what targets counted.
private struct Course {
    private var watch: SafetyWatch
    private var counts: [TargetTally.Counts]
    private(set) var now = Interval.seconds(1000)
    private(set) var end: Report.EarlyEnd?

    init(guarded: [Bool] = [], maximumRate: Double? = nil, part: SafetyWatch.Part? = nil) {
        let targets = guarded.enumerated().map {
            SafetyWatch.Target(origin: "http://t\($0):80", isGuarded: $1)
        }
        watch = SafetyWatch(targets, maximumRate: maximumRate, part: part)
        counts = Array(repeating: TargetTally.Counts(), count: targets.count)
        end = watch.note(counts, at: now)
    }

    /// Lets some time pass in which a target answers so often in each tenth of a second.
    mutating func pass(
        _ seconds: Double, target: Int = 0, sent: UInt64 = 0, refused: UInt64 = 0, other: UInt64 = 0
    ) {
        for _ in 0..<Int((seconds * 10).rounded()) where end == nil {
            counts[target].requests += sent
            counts[target].refusals += refused
            counts[target].otherAnswers += other
            now = now + .milliseconds(100)
            end = watch.note(counts, at: now)
        }
    }
}

@Suite("The guard over a run")
struct GuardTests {
    @Test("thirty seconds of nothing but refusals end the run, no less")
    func refusals() {
        var course = Course(guarded: [true])
        course.pass(30, refused: 2)
        #expect(course.end == nil)
        course.pass(0.1, refused: 2)
        #expect(course.end?.cause == .guard)
        #expect(
            course.end?.text.contains(
                "for 30s http://t0:80 answered nothing but 403, 429 or 5xx (602 answers)") == true)
    }

    @Test("what ends a part names it")
    func part() {
        let part = SafetyWatch.Part(number: PartNumber(index: 1, count: 4), host: "node-1")
        var course = Course(guarded: [true], part: part)
        course.pass(30.1, refused: 1)
        #expect(
            course.end?.text
                == "The guard ended part 1/4 on node-1 at once, without a drain: for 30s http://t0:80 "
                + "answered nothing but 403, 429 or 5xx (301 answers).")
    }

    @Test("one other answer begins the time anew")
    func otherAnswers() {
        var course = Course(guarded: [true])
        course.pass(29, refused: 1)
        course.pass(0.1, refused: 5, other: 1)
        course.pass(30, refused: 1)
        #expect(course.end == nil)
        course.pass(0.1, refused: 1)
        #expect(course.end?.text.contains("(301 answers)") == true)
    }

    @Test("silence ends nothing by itself, and keeps no row from being one")
    func silence() {
        var course = Course(guarded: [true])
        course.pass(120)
        course.pass(0.1, refused: 1)
        course.pass(60)
        #expect(course.end == nil)
        course.pass(0.1, refused: 1)
        #expect(course.end?.cause == .guard)
    }

    @Test("a row goes on from one run to the next")
    func rows() {
        var watch = SafetyWatch([.init(origin: "", isGuarded: true)], maximumRate: nil)
        #expect(watch.note([.init(refusals: 5)], at: .seconds(1)) == nil)
        watch.beginRun()
        #expect(watch.note([.init(refusals: 3)], at: .seconds(30)) == nil)
        watch.beginRun()
        #expect(watch.note([.init()], at: .seconds(40)) == nil)
        #expect(watch.note([.init(refusals: 1)], at: .seconds(41))?.text.contains("(9 answers)") == true)
    }

    @Test("each target is judged by itself, and only those of strangers")
    func targets() {
        var course = Course(guarded: [false, true, true])
        course.pass(120, target: 0, refused: 9)
        #expect(course.end == nil)
        course.pass(20, target: 1, refused: 1)
        course.pass(20, target: 2, other: 1)
        course.pass(10.1, target: 1, refused: 1)
        #expect(course.end?.text.contains("http://t1:80") == true)
    }

    @Test("a watch over nobody else's targets without a limit has nothing to do")
    func need() {
        let own = SafetyWatch.Target(origin: "", isGuarded: false)
        let foreign = SafetyWatch.Target(origin: "", isGuarded: true)
        #expect(!SafetyWatch([own], maximumRate: nil).isNeeded)
        #expect(SafetyWatch([own, foreign], maximumRate: nil).isNeeded)
        #expect(SafetyWatch([own], maximumRate: 5).isNeeded)
    }
}

@Suite("The highest rate of a run")
struct MaximumRateTests {
    @Test("as many as are allowed may go on for ever, to all targets together")
    func withinLimit() {
        var course = Course(guarded: [false, false], maximumRate: 100)
        for _ in 0..<200 {
            course.pass(0.1, target: 0, sent: 4)
            course.pass(0.1, target: 1, sent: 16)
        }
        #expect(course.end == nil)
    }

    @Test("one more within a second ends the run, at its very beginning too")
    func beyondLimit() {
        var course = Course(guarded: [false], maximumRate: 100)
        course.pass(10, sent: 10)
        #expect(course.end == nil)
        course.pass(0.1, sent: 11)
        #expect(course.end?.cause == .maxRate)
        #expect(
            course.end?.text.contains("sent 101 requests within a second, and --max-rate allows 100") == true)
        var burst = Course(guarded: [false], maximumRate: 100)
        burst.pass(0.1, sent: 101)
        #expect(burst.end?.cause == .maxRate && burst.now == .milliseconds(1_000_100))
    }

    @Test("a part keeps to its share of the limit, and is named with both where it does not")
    func part() {
        let part = SafetyWatch.Part(number: PartNumber(index: 1, count: 4), host: "node-1")
        var course = Course(guarded: [false], maximumRate: 100, part: part)
        course.pass(0.1, sent: 25)
        #expect(course.end == nil)
        course.pass(0.1, sent: 1)
        #expect(
            course.end?.text
                == "Part 1/4 on node-1 was ended at once, without a drain: it sent 26 requests within a "
                + "second, and its share of --max-rate 100 is 25.")
    }

    @Test("a burst is judged by its second, whenever that begins")
    func burst() {
        var course = Course(guarded: [false], maximumRate: 100)
        course.pass(5, sent: 1)
        course.pass(0.1, sent: 90)
        #expect(course.end == nil)
        course.pass(1, sent: 1)
        course.pass(0.1, sent: 90)
        #expect(course.end == nil)
        course.pass(0.1, sent: 3)
        #expect(course.end?.cause == .maxRate)
    }

    @Test("what is told late is divided by its time")
    func late() {
        var watch = SafetyWatch([.init(origin: "", isGuarded: false)], maximumRate: 100)
        #expect(watch.note([.init(requests: 0)], at: .zero) == nil)
        #expect(watch.note([.init(requests: 200)], at: .seconds(2)) == nil)
        #expect(watch.note([.init(requests: 401)], at: .seconds(4)) != nil)
    }

    @Test("an option or the environment gives the limit, which is a number from 1")
    func reading() async throws {
        #expect(try RateLimit.read(nil, else: nil) == nil)
        #expect(try RateLimit.read(nil, else: "12.5") == 12.5)
        #expect(try RateLimit.read(7, else: "12.5") == 7)
        #expect(try RateLimit.read(7, else: "") == 7)
        let empty = try await failure { try RateLimit.read(nil, else: "") }
        #expect(empty.code == .usage && empty.message.hasPrefix("BEACONSWARM_MAX_RATE: found an empty value"))
        for (option, variable) in [
            (0.5, ""), (.nan, ""), (.infinity, ""), (-1, ""), (nil, "0"), (nil, "fast"),
        ] {
            let failed = try await failure { try RateLimit.read(option, else: variable) }
            #expect(failed.code == .usage && failed.message.contains("from 1 to 1,000,000,000"))
        }
        let huge = try await failure { try RateLimit.read(1e12, else: "") }
        #expect(huge.message.hasPrefix("--max-rate: found 1000000000000, allowed"))
    }

    @Test("a search leaves out the loads that would pass the limit")
    func search() async throws {
        var settings = CapacitySearch.Settings(from: 500, floor: 2, maximum: 1e6, quantum: 1)
        try settings.keep(to: nil, requestsPerLoad: 1)
        #expect(settings.maximum == 1e6)
        try settings.keep(to: 140, requestsPerLoad: 0.5)
        #expect(settings.maximum == 200 && settings.from == 200)
        let failed = try await failure {
            var settings = settings
            try settings.keep(to: 1, requestsPerLoad: 3)
        }
        #expect(failed.code == .usage && failed.message.contains("even the smallest load"))
    }

    @Test("a scenario that is forecast to pass the limit is refused, with the devices that would keep to it")
    func forecast() async throws {
        let bench = try ScenarioBench()
        let text = ScenarioBench.text(population: #", "sdk": {"upload": {"flushBulkSize": 2}}"#)
        let document = try LoadedScenario(try bench.source(text)).document
        let forecast = Forecast(document)
        #expect(forecast.requestsPeak >= forecast.requestsMean && forecast.requestsMean > 0)
        try RateLimit.check(forecast, maximumRate: nil)
        try RateLimit.check(forecast, maximumRate: forecast.requestsPeak)
        let failed = try await failure {
            try RateLimit.check(forecast, maximumRate: forecast.requestsPeak / 2)
        }
        #expect(failed.code == .usage)
        #expect(failed.message.contains("; about 1 device would keep to it (--devices 1); nothing was run"))
        let none = try await failure {
            try RateLimit.check(forecast, maximumRate: forecast.requestsPeak / 100)
        }
        #expect(none.message.contains("; not even one device would keep to it; nothing was run"))
        let several = try await failure {
            try RateLimit.check(forecast, populations: 2, maximumRate: forecast.requestsPeak / 2)
        }
        #expect(several.message.contains("one device of each population would be too many"))
    }

    @Test("a forecast knows a target by its own path")
    func paths() throws {
        let bench = try ScenarioBench()
        let forecasts = try ["sa", "ingest"].map { path in
            let population =
                #", "sdk": {"upload": {"flushBulkSize": 2}}, "target": {"url": "http://127.0.0.1:9/\#(path)"}"#
            return Forecast(
                try LoadedScenario(try bench.source(ScenarioBench.text(population: population))).document)
        }
        #expect(forecasts[0].requestsMean > 0 && forecasts[0].requestsMean == forecasts[1].requestsMean)
    }
}
