import Accounting
import TestSupport
import Testing
import Timebase

@testable import CollectorModel

@Suite("CollectorModel")
struct CollectorModelTests {
    private let body = Bodies.official(Bodies.list(Bodies.event("2-0"), Bodies.event("2-1")))

    @Test("numbers copies and counts them")
    func duplicates() {
        var bench = Bench()
        for _ in 0..<3 { bench.post(body) }
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 1, 1, 2, 2])
        let statistics = bench.model.statistics
        #expect(statistics.requests == 3)
        #expect(statistics.received == 6)
        #expect(statistics.unique == 2)
        #expect(statistics.duplicates == 4)
    }

    @Test("a dry run is checked, counted and not stored")
    func dryRun() {
        var bench = Bench()
        let reply = bench.post(body, path: "/debug", dryRun: true)
        #expect(reply.status == 200)
        #expect(reply.disposition == .dryRun)
        #expect(bench.sink.rows.isEmpty)
        #expect(bench.model.statistics.dryRun == 2)
        #expect(bench.model.receipts.dryRun.contains(EventID(device: 2, sequence: 1)))
        #expect(bench.model.receipts.unique == 0)
    }

    @Test("a status fault stores nothing; only a 2xx swallows", arguments: [(503, false), (204, true)])
    func statusFault(status: UInt16, swallows: Bool) {
        var bench = Bench()
        var fault = LateFault()
        fault.answer = SubstituteAnswer(status: status)
        let reply = bench.post(body, fault: fault)
        #expect(reply.status == status)
        #expect(reply.disposition == .notStored)
        #expect(reply.swallowed == swallows)
        #expect(bench.sink.rows.isEmpty)
        #expect(bench.model.statistics.swallowed == (swallows ? 2 : 0))
        #expect(bench.model.receipts.swallowed.contains(EventID(device: 2, sequence: 0)) == swallows)
    }

    @Test("accept-then-die, stall and latency store as usual")
    func otherFaults() {
        var bench = Bench()
        var fault = LateFault()
        fault.diesAfterAccept = true
        fault.delay = .seconds(1)
        fault.releaseAt = Instant(nanoseconds: 5)
        #expect(bench.post(body, fault: fault).disposition == .stored)
        #expect(bench.sink.rows.count == 2)
    }

    @Test("a reset for one device stores nothing")
    func resetUnread() {
        var bench = Bench()
        var fault = LateFault()
        fault.resetsUnread = true
        #expect(bench.post(body, fault: fault).disposition == .notStored)
        #expect(bench.sink.rows.isEmpty)
        #expect(bench.model.receipts == Receipts())
    }

    @Test("withdrawing makes the next copy the first again")
    func withdraw() {
        var bench = Bench()
        bench.post(body)
        bench.model.withdraw([
            .harness(EventID(device: 2, sequence: 0)), .harness(EventID(device: 2, sequence: 1)),
        ])
        #expect(bench.model.statistics.received == 0)
        bench.post(body)
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 0, 0])
    }

    @Test("asks the director with the first device of the body")
    func director() {
        var plan = CollectorPlan()
        var window = FaultWindow(
            from: Instant(nanoseconds: 0), until: .distantFuture, fault: .status(500))
        window.device = 2
        window.uploadNumber = 1
        plan.faults = [window]
        var model = CollectorModel(plan: plan)
        var director = FaultDirector(plan: plan)
        var sink = NullSink()
        let statuses = (0..<3).map { _ in
            body.withUnsafeBytes { bytes in
                let request = CollectedRequest(method: .post, path: "/sa", body: bytes)
                return model.receive(
                    request, at: Instant(nanoseconds: 1), director: &director, sink: &sink
                ).reply.status
            }
        }
        #expect(statuses == [200, 500, 200])
        #expect(model.statistics.received == 4)
    }

    @Test(
        "takes uploads at /sa and /debug below any path, and at aliases",
        arguments: [
            ("/sa", 200), ("/x/y/sa", 200), ("/debug", 200), ("/up", 200), ("/", 404), ("/sax", 404),
            ("/sa/", 404), ("", 404),
        ])
    func routes(path: String, status: UInt16) {
        var plan = CollectorPlan()
        plan.uploadPaths = [UploadPath(path: "/up", system: .sensors)]
        var model = CollectorModel(plan: plan)
        var sink = NullSink()
        let reply = body.withUnsafeBytes { bytes in
            let request = CollectedRequest(method: .post, path: path, body: bytes)
            return model.receive(request, at: Instant(nanoseconds: 0), fault: .none, sink: &sink)
        }
        #expect(reply.status == status)
        #expect(model.statistics.notFound == (status == 404 ? 1 : 0))
    }

    @Test("a system that is not served has no route")
    func systems() {
        var model = CollectorModel(systems: [])
        var sink = NullSink()
        let request = CollectedRequest(method: .get, path: "/config/iOS.conf")
        #expect(model.receive(request, at: Instant(nanoseconds: 0), fault: .none, sink: &sink).status == 404)
    }

    @Test("serves the configuration of the moment, and 304 for the version that the client has")
    func config() {
        var plan = CollectorPlan()
        plan.configs = [
            ServedConfig(from: Instant(nanoseconds: 100), version: "a", body: Array("A".utf8)),
            ServedConfig(from: Instant(nanoseconds: 200), version: "b c", body: Array("B".utf8)),
        ]
        var bench = Bench(plan: plan)
        let path = "/x/config/iOS.conf"
        let early = bench.get(path, at: Instant(nanoseconds: 99))
        #expect(early.status == 200)
        #expect(
            String(decoding: early.body, as: UTF8.self).hasPrefix(#"{"v":"0","configs":{"disableSDK":false"#))
        #expect(bench.get(path, query: "v=0", at: Instant(nanoseconds: 99)).status == 304)
        #expect(bench.get(path, query: "v=0", at: Instant(nanoseconds: 100)).body == Array("A".utf8))
        #expect(bench.get(path, query: "v=a&nv=1", at: Instant(nanoseconds: 199)).status == 304)
        #expect(bench.get(path, query: "nv=b&v=a", at: Instant(nanoseconds: 200)).body == Array("B".utf8))
        let same = bench.get("/config/Android.conf", query: "v=b+c", at: Instant(nanoseconds: 200))
        #expect(same.status == 304)
        #expect(same.body.isEmpty)
        #expect(bench.model.statistics.configFetches == 6)
        #expect(bench.model.statistics.requests == 0)
    }
}
