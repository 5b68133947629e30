import CollectorModel
import DeviceSDK
import SensorsSDK
import Testing
import Timebase
import World

@testable import Scenario

@Suite("Faults on the timeline")
struct FaultBindingTests {
    private func fault(_ members: String, at entry: String = #""at": "1s", "for": "40s""#) throws
        -> CollectorFault?
    {
        let plans = try document(
            scenario(#""timeline": [{\#(entry), "collector": {\#(members)}}]"#)
        ).plans(start: ScenarioDocument.virtualStart)
        return plans.collector.faults.first?.fault
    }

    @Test("are bound with their defaults")
    func collector() throws {
        #expect(
            try fault(#""fault": "slowBody", "bytesPerSecond": 100, "bytes": 2000"#)
                == .slowBody(SlowBodyFault(bytesPerSecond: 100, bytes: 2000)))
        #expect(try fault(#""fault": "truncate""#) == .truncate(bytes: 1000))
        #expect(
            try fault(#""fault": "wrongContent""#)
                == .wrongContent(status: 200, page: CollectorFault.portalPage))
        #expect(
            try fault(#""fault": "wrongContent", "status": 511, "body": "<p>""#)
                == .wrongContent(status: 511, page: Array("<p>".utf8)))
        #expect(
            try fault(#""fault": "capacity", "rate": "120 requests/min", "queue": 10"#)
                == .capacity(CapacityFault(rate: 2, queue: 10)))
        #expect(
            try fault(
                #""fault": "capacity", "rate": "5/s", "queue": 0, "degrade": 2, "status": 429, "retryAfter": "9s""#
            ) == .capacity(CapacityFault(rate: 5, queue: 0, degrade: 2, status: 429, retryAfter: .seconds(9)))
        )
        #expect(
            try fault(#""fault": "capacity", "rate": 2.5, "queue": 1"#)
                == .capacity(CapacityFault(rate: 2.5, queue: 1)))
        #expect(
            try fault(#""fault": "status", "status": 503, "retryAfter": "30s""#)
                == .status(503, retryAfter: .seconds(30)))
        #expect(
            try fault(#""fault": "deploy", "instances": 4, "down": "2s", "warmUp": "8s""#)
                == .deploy(
                    DeployFault(
                        instances: 4, down: .seconds(2), warmUp: .seconds(8), latency: .constant(1000))))
    }

    @Test("of the client's side are planned whatever the collector is, and marked")
    func client() throws {
        let text = scenario(
            """
            "timeline": [
              {"at": "1s", "for": "2s", "share": 0.2, "population": "ios",
               "client": {"fault": "delay", "latency": {"mean": "2s"}, "deviceShare": 0.5}},
              {"at": "2s", "client": {"fault": "lostReply", "device": 3, "upload": 1}},
              {"at": "3s", "client": {"fault": "lostReply", "as": "timeout"}},
              {"at": "4s", "client": {"fault": "reset"}},
              {"at": "5s", "client": {"fault": "reset", "after": "half"}},
              {"at": "6s", "client": {"fault": "drop"}},
              {"at": "7s", "collector": {"fault": "reset"}}]
            """)
        let start = ScenarioDocument.virtualStart
        let plans = try document(text).plans(start: start, controlsCollector: false)
        let windows = plans.schedule.clientFaults.windows
        #expect(
            windows.map(\.fault) == [
                .delay(.exponential(mean: 2000)), .lostReply(.reset), .lostReply(.timeout), .reset(.connect),
                .reset(.half), .drop,
            ])
        var scope = ClientFaultScope()
        (scope.share, scope.deviceShare, scope.population) = (0.2, 0.5, 0)
        #expect(windows.first?.scope == scope)
        #expect(windows.first?.from == start + .seconds(1))
        #expect(windows.first?.until == start + .seconds(3))
        #expect(windows.dropFirst().first?.scope.device == 3)
        #expect(windows.dropFirst().first?.scope.uploadNumber == 1)
        #expect(plans.marks.count == 6)
        #expect(
            plans.marks.first?.text
                == "client: requests delayed by a distribution, 20 % of requests, 50 % of devices, ios, for 2s"
        )
    }

    @Test(
        "say what they lack and what is not theirs",
        arguments: [
            (#""collector": {"fault": "slowBody", "bytes": 9}"#, Problem.Kind.missingKey, "/collector"),
            (#""collector": {"fault": "capacity", "rate": "1/s"}"#, .missingKey, "/collector"),
            (
                #""collector": {"fault": "capacity", "rate": "1 events/s", "queue": 1}"#, .outOfRange,
                "/collector/rate"
            ),
            (#""collector": {"fault": "outage", "retryAfter": "1s"}"#, .conflict, "/collector/retryAfter"),
            (#""collector": {"fault": "deploy", "instances": 1, "down": "1s"}"#, .missingKey, "/collector"),
            (
                #""for": "5 m", "collector": {"fault": "deploy", "instances": 1, "down": "1s"}"#, .outOfRange,
                "/for"
            ),
            (
                #""for": "20s", "collector": {"fault": "deploy", "instances": 4, "down": "5s", "warmUp": "1ms"}"#,
                .conflict, "/collector"
            ),
            (#""collector": {"fault": "slowReply"}"#, .notSupported, "/collector/fault"),
            (#""client": {"fault": "delay"}"#, .missingKey, "/client"),
            (#""client": {"fault": "drop", "as": "reset"}"#, .conflict, "/client/as"),
            (#""client": {"fault": "lost"}"#, .unknownName, "/client/fault"),
            (#""client": {"fault": "drop", "share": 1}"#, .unknownKey, "/client/share"),
            (#""population": "android", "client": {"fault": "drop"}"#, .unknownName, "/population"),
            (#""population": "ios", "collector": {"fault": "reset"}"#, .conflict, "/population"),
            (#""collector": {"fault": "reset"}, "client": {"fault": "drop"}"#, .conflict, ""),
        ])
    func problems(entry: String, kind: Problem.Kind, pointer: String) {
        let found = Tests.problems(of: entry)
        #expect(found.map(\.kind) == [kind], "\(entry)")
        #expect(found.map(\.pointer) == ["/timeline/0" + pointer], "\(entry)")
    }

    private enum Tests {
        static func problems(of entry: String) -> [Problem] {
            ScenarioTests.problems(scenario(#""timeline": [{"at": "1s", \#(entry)}]"#))
        }
    }

    @Test("warn of a device that is not there")
    func missingDevice() throws {
        let text = scenario(#""timeline": [{"at": "1s", "client": {"fault": "drop", "device": 10}}]"#)
        #expect(try document(text).warnings.map(\.pointer) == ["/timeline/0"])
    }

    @Test("are for a file of faults too, those of the client's side are not")
    func faultsFile() throws {
        let start = ScenarioDocument.virtualStart
        let text = """
            {"timeline": [
              {"at": "1s", "for": "40s", "collector": {"fault": "capacity", "rate": "200 requests/s", "queue": 50,
               "degrade": 3, "status": 429, "retryAfter": "10s"}},
              {"at": "1m", "for": "1m", "collector": {"fault": "deploy", "instances": 3, "down": "5s"}},
              {"at": "2m", "collector": {"fault": "wrongContent"}}]}
            """
        let plan = try FaultsFile.load(bytes: Array(text.utf8), name: "f", start: start).get()
        #expect(plan.faults.count == 3)
        guard
            case .failure(let failure) = FaultsFile.load(
                bytes: Array(#"{"timeline": [{"at": "1s", "client": {"fault": "drop"}}]}"#.utf8), name: "f",
                start: start)
        else {
            Issue.record("a client's fault passed")
            return
        }
        #expect(failure.problems.map(\.pointer) == ["/timeline/0/client"])
    }

    @Test("upload.retryAfter is a switch of Sensors, off by default")
    func retryAfter() throws {
        #expect(try !document(scenario()).rules().upload.retry.heedsRetryAfter)
        let text = scenario(population: #""sdk": {"upload": {"retryAfter": true}}"#)
        #expect(try document(text).rules().upload.retry.heedsRetryAfter)
    }
}
