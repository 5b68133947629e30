import Accounting
import TestSupport
import Testing
import Wire

@testable import CollectorModel

@Suite("Uploads of public products")
struct ProductDecodingTests {
    private static let event = #"{"e":"se","se_ac":"buy","eid":"7","dtm":"1700000000000","stm":"1"}"#

    @Test(
        "Snowplow: an event is the same in payload_data and, as one that is too large comes, by itself",
        arguments: [#"{"schema":"s","data":[\#(event)]}"#, event])
    func snowplow(body: String) {
        var bench = Bench(plan: CollectorPlan())
        let reply = bench.post(Array(body.utf8), path: "/com.snowplowanalytics.snowplow/tp2")
        #expect(reply.status == 200)
        #expect(bench.sink.rows.map(\.payload) == [Self.event])
        #expect(
            bench.sink.rows.map(\.name) == ["buy"] && bench.sink.rows.map(\.capturedAt) == [1_700_000_000_000]
        )
        #expect(bench.undecodable.isEmpty)
    }

    @Test("Snowplow: what is neither a list of events nor an event is none")
    func noSnowplow() {
        var bench = Bench(plan: CollectorPlan())
        let reply = bench.post(Array(#"{"schema":"s"}"#.utf8), path: "/com.snowplowanalytics.snowplow/tp2")
        #expect(reply.status == 400)
        #expect(bench.undecodable == [.missingType: 1])
    }

    @Test("a pixel of fields does not change how the next query is read, which has its event in one field")
    func pixelBeforeQuery() {
        var event = EventDescription(names: [.value("/n")])
        event.key = [["/id"]]
        var own = UploadDescription(
            name: "own", uploads: [RequestPattern(.get, "/px")], lists: [""], event: event)
        own.formFields = ["data"]
        var plan = CollectorPlan()
        plan.descriptions = [own]
        var bench = Bench(plan: plan)
        let query = "data=\(Bodies.escaped(#"[{"n":"Buy","id":"7"}]"#))"
        #expect(bench.get("/px", query: query).status == 200)
        #expect(bench.get("/i", query: "e=se&se_ac=buy&eid=7&dtm=1700000000000").status == 200)
        #expect(bench.get("/px", query: query).status == 200)
        #expect(bench.sink.rows.map(\.name) == ["Buy", "buy", "Buy"])
    }
}
