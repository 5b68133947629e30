import Accounting
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel

/// Faults that change the answer's form, its place in a queue, or the instance that gives it.
@Suite("Faults of answers")
struct AnswerFaultTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    private func window(_ fault: CollectorFault, _ from: Int64 = 0, _ until: Int64 = 100_000) -> FaultWindow {
        FaultWindow(from: at(from), until: at(until), fault: fault)
    }

    private func director(_ windows: FaultWindow...) -> FaultDirector {
        var plan = CollectorPlan()
        plan.faults = windows
        plan.seed = 3
        return FaultDirector(plan: plan)
    }

    /// What the collector answers to an upload of two events, with the model that took it.
    private func reply(_ fault: CollectorFault) -> (reply: CollectorReply, model: CollectorModel) {
        var director = director(window(fault))
        var bench = Bench()
        let body = Bodies.official(Bodies.list(Bodies.event("1-0"), Bodies.event("1-1")))
        let reply = bench.post(body, fault: director.afterReading(at: at(1), device: nil))
        return (reply, bench.model)
    }

    @Test("a slow body is filled up and timed by its pace; the events are stored")
    func slowBody() {
        let (reply, model) = reply(.slowBody(SlowBodyFault(bytesPerSecond: 100, bytes: 2000)))
        #expect(reply.status == 200)
        #expect(reply.body == [UInt8](repeating: 0x20, count: 2000))
        #expect(reply.bytesPerSecond == 100)
        #expect(reply.sentBytes == 2000)
        #expect(reply.bodyTime(bytes: 2000) == .seconds(20))
        #expect(reply.bodyTime(bytes: 1) == .milliseconds(10))
        #expect(model.receipts.unique == 2)
    }

    @Test("a longer body keeps its length, a status without a body gets none")
    func lengths() {
        var fault = LateFault()
        fault.slowBody = SlowBodyFault(bytesPerSecond: 1, bytes: 3)
        var long = CollectorReply(status: 200, disposition: .config, body: Array("{...}".utf8))
        fault.shape(&long)
        #expect(long.body == Array("{...}".utf8))
        var unchanged = CollectorReply(status: 304, disposition: .config)
        fault.truncatedBytes = 10
        fault.shape(&unchanged)
        #expect(unchanged == CollectorReply(status: 304, disposition: .config))
    }

    @Test("a cut answer promises more than it brings; the events are stored")
    func truncate() {
        let (reply, model) = reply(.truncate(bytes: 1000))
        #expect(reply.status == 200)
        #expect(reply.body.count == 1000)
        #expect(reply.sentBytes == 500)
        #expect(model.receipts.unique == 2)
        // Even the shortest promise is broken.
        #expect(self.reply(.truncate(bytes: 1)).reply.sentBytes == 0)
    }

    @Test("an upload with an invalid event is refused each time; clients that look for a list get one")
    func invalidEvents() throws {
        var refusal = EventRefusal()
        refusal.share = 0.3
        var fault = LateFault()
        fault.refusal = refusal
        func answer(_ path: String, _ body: String) -> CollectorReply {
            var bench = Bench()
            return bench.post(Array(body.utf8), path: path, fault: fault)
        }
        func amplitude(_ numbers: Range<Int>) -> String {
            let events = numbers.map {
                #"{"event_type": "Buy", "time": 1, "insert_id": "i\#($0)", "event_properties": {"bs_id": "4-\#($0)"}}"#
            }
            return #"{"api_key": "K", "events": [\#(events.joined(separator: ","))]}"#
        }
        let whole = answer("/2/httpapi", amplitude(0..<50))
        #expect(whole.status == 400 && whole.disposition == .notStored)
        let body = try JSONReader.readStrictly(whole.body)
        let listed = try #require(body.value(at: ["events_with_invalid_fields", "field"])?.elements)
        #expect(body["code"]?.digits == "400" && (5...25).contains(listed.count))
        // Each by itself: the same ones are refused, and the others taken.
        let refused = (0..<50).filter { answer("/2/httpapi", amplitude($0..<$0 + 1)).status == 400 }
        #expect(refused.map(String.init) == listed.compactMap(\.digits))
        // Nobody looks for a list there.
        let list = Bodies.list(Bodies.event("4-\(refused[0])"), Bodies.event("4-1000"))
        var bench = Bench()
        let plain = bench.post(Bodies.official(list), fault: fault)
        #expect(plain.status == 400 && plain.body.isEmpty && bench.model.receipts.unique == 0)
    }

    @Test("invalid events decide about uploads that have one, and leave all others to the windows behind")
    func invalidEventsBefore() {
        var refusal = EventRefusal()
        (refusal.share, refusal.status) = (0.3, 422)
        var plan = CollectorPlan()
        plan.faults = [
            window(.invalidEvents(refusal)), window(.capacity(CapacityFault(rate: 1, queue: 9))),
            window(.status(503)),
        ]
        var director = FaultDirector(plan: plan)
        var (model, sink) = (CollectorModel(), RecordingSink())
        var faults: [UInt16: [LateFault]] = [:]
        for number in 0..<20 {
            let body = Bodies.official(Bodies.list(Bodies.event("1-\(number)")))
            let (reply, fault) = body.withUnsafeBytes { bytes in
                model.receive(
                    CollectedRequest(method: .post, path: "/sa", body: bytes), at: at(1),
                    director: &director, sink: &sink)
            }
            faults[reply.status, default: []].append(fault)
        }
        #expect(Set(faults.keys) == [422, 503])
        // A request that is refused takes no place in the queue.
        #expect(faults[422, default: []].allSatisfy { $0.releaseAt == nil })
        #expect(faults[503, default: []].first?.releaseAt == at(1001))
    }

    @Test("a portal's page stores nothing; with a 2xx the events are swallowed")
    func wrongContent() {
        let (lie, model) = reply(.wrongContent(status: 200, page: CollectorFault.portalPage))
        #expect(lie.status == 200)
        #expect(lie.contentType.description == "text/html; charset=utf-8")
        #expect(lie.body == CollectorFault.portalPage)
        #expect(lie.swallowed)
        #expect(model.receipts.received == 0)
        #expect(model.statistics.swallowed == 2)
        let (honest, other) = reply(.wrongContent(status: 511, page: Array("<p>".utf8)))
        #expect(honest.status == 511)
        #expect(!honest.swallowed)
        #expect(other.statistics.swallowed == 0)
    }

    @Test(
        "a lie is told only of events that can be counted: what nobody knows or can read is answered as ever",
        arguments: [
            CollectorFault.status(200), .status(204), .status(200, stored: true),
            .wrongContent(status: 200, page: CollectorFault.portalPage),
        ])
    func uncounted(fault: CollectorFault) {
        var director = director(window(fault))
        let late = director.afterReading(at: at(1), device: nil)
        var bench = Bench()
        let list = Bodies.list(Bodies.event("1-0"), Bodies.event("1-1"))
        let stray = bench.post(Bodies.official(list), path: "/nobody/knows", fault: late)
        #expect(stray.status == 404 && stray.disposition == .notFound && !stray.swallowed)
        let unread = bench.post(Array("nothing".utf8), fault: late)
        #expect(unread.status == 400 && unread.disposition == .undecodable && !unread.swallowed)
        let statistics = bench.model.statistics
        #expect(statistics.swallowed == 0 && statistics.notFound == 1 && statistics.undecodable == 1)
    }

    @Test("a failure is everybody's, whether the path is known and the body can be read or not")
    func failureOfAll() {
        var director = director(window(.status(503)))
        let late = director.afterReading(at: at(1), device: nil)
        var bench = Bench()
        #expect(bench.post([], path: "/nobody/knows", fault: late).status == 503)
        #expect(bench.post(Array("nothing".utf8), fault: late).status == 503)
        #expect(bench.model.statistics.undecodable == 0)
    }

    @Test("a status for what is stored changes the answer alone")
    func storedStatus() {
        let (late, held) = reply(.status(413, retryAfter: .seconds(9), stored: true))
        #expect(late.status == 413)
        #expect(late.body.isEmpty)
        #expect(late.retryAfter == .seconds(9))
        #expect(late.disposition == .stored)
        #expect(!late.swallowed)
        #expect(held.receipts.unique == 2)
        #expect(held.statistics.swallowed == 0)
        let own = reply(.latency(.constant(0))).reply
        #expect(reply(.status(201, stored: true)).reply.body == own.body)
        #expect(reply(.status(204, stored: true)).reply.body.isEmpty)
        // What nobody can read is refused as ever, and a configuration is served.
        var fault = LateFault()
        fault.answer = SubstituteAnswer(status: 204, isAfterStoring: true)
        var refusal = CollectorReply(status: 400, disposition: .undecodable, body: [1])
        fault.shape(&refusal)
        #expect(refusal == CollectorReply(status: 400, disposition: .undecodable, body: [1]))
    }

    @Test("Retry-After is told in whole seconds, rounded up")
    func retryAfter() {
        for (milliseconds, seconds) in [(1, 1), (1000, 1), (1001, 2), (30_000, 30)] as [(Int64, Int64)] {
            let reply = reply(.status(429, retryAfter: .milliseconds(milliseconds))).reply
            #expect(reply.status == 429)
            #expect(reply.retryAfterSeconds == seconds)
        }
        #expect(reply(.status(429)).reply.retryAfterSeconds == nil)
    }

    @Test("a capacity lets answers wait and turns the rest away, unstored")
    func capacity() {
        let rules = CapacityFault(rate: 10, queue: 1, status: 429, retryAfter: .seconds(7))
        var director = director(window(.capacity(rules)))
        let faults = (0..<3).map { _ in director.afterReading(at: at(1000), device: nil) }
        #expect(faults.map(\.releaseAt) == [at(1100), at(1200), nil])
        #expect(faults.map(\.status) == [nil, nil, 429])
        #expect(faults[2].answer?.retryAfter == .seconds(7))
        // The place of the first is free again.
        #expect(director.afterReading(at: at(1100), device: nil).releaseAt == at(1300))
    }

    @Test("who is refused before takes no place in the queue; a dying answer does")
    func order() {
        let rules = CapacityFault(rate: 10, queue: 0)
        var refusing = director(window(.status(500)), window(.capacity(rules)))
        for _ in 0..<3 { #expect(refusing.afterReading(at: at(0), device: nil).status == 500) }
        var dying = director(window(.acceptThenDie), window(.capacity(rules)))
        #expect(dying.afterReading(at: at(0), device: nil).diesAfterAccept)
        let second = dying.afterReading(at: at(0), device: nil)
        #expect(second.diesAfterAccept)
        #expect(second.status == nil)
    }

    @Test("instances restart one after the other, each at the beginning of its part")
    func deployment() {
        let rules = DeployFault(
            instances: 4, down: .seconds(5), warmUp: .seconds(10), latency: .constant(500))
        let times: [(Int64, Int, DeployFault.State)] = [
            (0, 0, .down), (4999, 0, .down), (5000, 0, .warmingUp), (14_999, 0, .warmingUp), (15_000, 0, .up),
            (20_000, 1, .down), (65_000, 3, .warmingUp), (79_999, 3, .up),
        ]
        for (time, instance, state) in times {
            let found = rules.restarting(at: at(1000 + time), from: at(1000), length: .seconds(80))
            #expect(found.instance == instance && found.state == state, "\(time)")
        }
    }

    @Test("a fourth of the requests meets the one of four instances that restarts")
    func deploymentShares() {
        let rules = DeployFault(
            instances: 4, down: .seconds(5), warmUp: .seconds(10), latency: .constant(500))
        var director = director(window(.deploy(rules), 0, 80_000))
        func run(_ time: Int64) -> (resets: Int, late: Int) {
            let early = (0..<2000).filter { _ in director.beforeReading(at: at(time)) == .reset }.count
            let late = (0..<2000).map { _ in director.afterReading(at: at(time), device: nil) }
            #expect(late.allSatisfy { [.zero, .milliseconds(500)].contains($0.delay) && !$0.resetsUnread })
            return (early, late.filter { $0.delay > .zero }.count)
        }
        let down = run(21_000)
        #expect((420...580).contains(down.resets))
        #expect(down.late == 0)
        let warming = run(26_000)
        #expect(warming.resets == 0)
        #expect((420...580).contains(warming.late))
        #expect(run(36_000) == (0, 0))
    }

    @Test("a deployment for one device resets it after reading, where the device is known")
    func deploymentOfOneDevice() {
        var mine = window(
            .deploy(
                DeployFault(instances: 1, down: .seconds(1), warmUp: .seconds(1), latency: .constant(9))), 0,
            10_000)
        mine.device = 7
        var director = director(mine)
        #expect(director.beforeReading(at: at(1)) == nil)
        #expect(director.afterReading(at: at(1), device: 7).resetsUnread)
        #expect(director.afterReading(at: at(1), device: 8) == .none)
        #expect(director.afterReading(at: at(1000), device: 7).delay == .milliseconds(9))
        #expect(director.afterReading(at: at(2000), device: 7) == .none)
    }
}
