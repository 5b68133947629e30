import Accounting
import TestSupport
import Testing
import Timebase

@testable import CollectorModel

@Suite("One collector for all systems")
struct SystemsTests {
    private static var collected: CollectedSystems { CollectedSystems(CollectorPlan()) }

    private func route(
        _ request: CollectedRequest, systems: [CollectorSystem] = CollectorSystem.allCases,
        uploadPaths: [UploadPath] = []
    ) -> CollectorRoute {
        CollectorRoute(
            request, collected: SystemsTests.collected, systems: systems, uploadPaths: uploadPaths)
    }

    @Test(
        "a system's definition is its own: its name, its headers, and paths that no other system takes",
        arguments: CollectorSystem.allCases)
    func definition(system: CollectorSystem) {
        let definition = system.definition
        #expect(definition.system == system)
        #expect(definition.headers.allSatisfy(CollectedHeader.all.contains))
        #expect(!system.uploadForms.isEmpty)
        for form in system.uploadForms {
            let request = CollectedRequest(method: .post, path: form.path)
            let takers = CollectorSystem.allCases.filter {
                SystemsTests.collected[$0].purpose(of: request) == .upload
            }
            #expect(takers == [system], "\(form.path)")
            let names = form.headerLines.split(separator: "\r\n").map { String($0.prefix { $0 != ":" }) }
            #expect(
                names.allSatisfy { CollectedHeader(name: $0).map(definition.headers.contains) ?? false },
                "\(form.headerLines)")
        }
    }

    @Test("each system is taken by its own decoder", arguments: CollectorSystem.allCases)
    func decoders(system: CollectorSystem) {
        var bench = Bench()
        #expect(bench.post(.of(system)).disposition == .stored)
        #expect(bench.sink.rows.map(\.system) == [system, system])
    }

    @Test(
        "each system's paths lead to it, below any other path",
        arguments: [
            ("/sa", CollectorSystem.sensors), ("/x/debug", .sensors), ("/v3/projects/p/collect", .growing),
            ("/gw/v3/projects/p/collect", .growing), ("/projects/p/collect/item", .growing),
            ("/v3/p/ios/pv", .growing), ("/v3/p/ios/cstm", .growing), ("/v3/p/ios/imp", .growing),
            ("/v3/p/ios/other", .growing), ("/app/p/ios/ctvt", .growing), ("/tracking/events", .trackingSDK),
            ("/x/tracking/events", .trackingSDK), ("/uploadIosLogfiles.do1", .kit),
            ("/a/b/uploadIosLogfiles.do1", .kit), ("/codeless/v1/events", .codeless),
            ("/x/codeless/v1/events", .codeless),
        ])
    func routes(path: String, system: CollectorSystem) {
        let request = CollectedRequest(method: .post, path: path)
        #expect(route(request) == .upload(system))
        let others = CollectorSystem.allCases.filter { $0 != system }
        #expect(route(request, systems: others) == .notFound)
        for method in [CollectedRequest.Method.get, .other] {
            #expect(route(CollectedRequest(method: method, path: path)) == .notFound)
        }
    }

    @Test(
        "no other path is an upload's",
        arguments: [
            "/", "", "/v3/projects/collect", "/projects/p/collect", "/v3/p/ios/xx", "/v3/ios/pv",
            "/app/p/ios/pv",
            "/v3/p/ios/ctvt", "/tracking/eventsx", "/events", "/uploadIosLogfiles.do",
            "/xuploadIosLogfiles.do1",
            "/codeless/v2/events", "/codeless/v1/config", "/config/iOS.conf",
        ])
    func noRoutes(path: String) {
        #expect(route(CollectedRequest(method: .post, path: path)) == .notFound)
    }

    @Test("a target's own path says whose it is, before all others")
    func ownPaths() {
        var plan = CollectorPlan()
        plan.uploadPaths = [
            UploadPath(path: "/ingest", system: .trackingSDK),
            UploadPath(path: "/in/sa", system: .trackingSDK),
            UploadPath(path: "/gio", system: .growing),
        ]
        var bench = Bench(plan: plan)
        for (path, system) in [
            ("/ingest", CollectorSystem.trackingSDK), ("/in/sa", .trackingSDK), ("/gio", .growing),
            ("/sa", .sensors),
        ] {
            var upload = SystemUpload.of(system, ids: ["0-0"])
            upload.path = path
            #expect(bench.post(upload).status == 200)
            #expect(bench.sink.rows.last?.system == system)
        }
        let other = CollectedRequest(method: .post, path: "/ingest")
        #expect(route(other, systems: [.growing], uploadPaths: plan.uploadPaths) == .notFound)
        let paths = [CollectorSystem.sensors, .trackingSDK].map { UploadPath(path: "/x/sa", system: $0) }
        #expect(CollectorPlan().unknown(among: paths) == [paths[1]])
    }

    @Test("one collector takes them all, and counts them together")
    func mixed() {
        var bench = Bench()
        for (device, system) in CollectorSystem.allCases.enumerated() {
            let reply = bench.post(.of(system, ids: ["\(device)-0", "\(device)-1", nil]))
            #expect(reply.status == 200)
            bench.post(.of(system, ids: ["\(device)-1"]))
        }
        #expect(bench.undecodable.isEmpty)
        let count = CollectorSystem.allCases.count
        #expect(bench.model.statistics.received == UInt64(4 * count))
        #expect(bench.model.statistics.unique == UInt64(3 * count))
        #expect(
            bench.sink.rows.filter { $0.id.contains("-1") && $0.id.count < 5 }.map(\.copy)
                == Array(repeating: [0, 1], count: count).flatMap { $0 })
        for system in CollectorSystem.allCases {
            let rows = bench.sink.rows.filter { $0.system == system }
            #expect(rows.count == 4)
            #expect(rows.allSatisfy { !$0.type.isEmpty && $0.capturedAt > 0 && $0.payload.hasPrefix("{") })
        }
    }

    @Test("headers are read from lines as from a list, whatever their case")
    func headers() {
        let lines =
            "Content-Type: a/b; c\r\nx-crypt-codec:1\r\nX-Compress-Codec:\t2\r\nX-Compress-Codec: 3\r\nbroken\r\n: x\r\n"
        let read = CollectedHeaders(lines: lines)
        #expect(read[.contentType] == "a/b; c")
        #expect(read[.cryptCodec] == "1")
        #expect(read[.compressCodec] == "2")
        #expect(read[.eventsID] == "")
        #expect(CollectedHeaders(lines: "X-Events-Id: e")[.eventsID] == "e")
        #expect(CollectedHeader(name: "content-TYPE") == .contentType)
        #expect(CollectedHeader(name: "X-EVENTS-ID") == .eventsID)
        #expect(CollectedHeader(name: "content-typf") == nil)
        var list = CollectedHeaders()
        list[.eventsID] = "k"
        list[.eventsID] = "l"
        #expect(list[.eventsID] == "k")
    }

    // MARK: Faults

    @Test(
        "nothing is stored under a status, and success that a client may believe swallows",
        arguments: CollectorSystem.allCases)
    func statusFaults(system: CollectorSystem) {
        for status: UInt16 in [200, 202, 204, 302, 400, 403, 404, 413, 429, 500, 503] {
            var fault = LateFault()
            fault.answer = SubstituteAnswer(status: status)
            var bench = Bench()
            let reply = bench.post(.of(system), fault: fault)
            let swallows = (200...299).contains(status) && !(system == .kit && status == 204)
            #expect(reply.status == status)
            #expect(reply.swallowed == swallows, "\(system) \(status)")
            #expect(bench.sink.rows.isEmpty)
            #expect(bench.model.statistics.swallowed == (swallows ? 2 : 0))
            #expect(bench.model.receipts.swallowed.contains(EventID(device: 3, sequence: 1)) == swallows)
        }
    }

    @Test("a portal's page is believed by all clients but Kit's", arguments: CollectorSystem.allCases)
    func portal(system: CollectorSystem) {
        var fault = LateFault()
        fault.answer = SubstituteAnswer(status: 200, page: CollectorFault.portalPage)
        var bench = Bench()
        let reply = bench.post(.of(system, ids: ["3-0", nil]), fault: fault)
        #expect(reply.body == CollectorFault.portalPage)
        #expect(reply.swallowed == (system != .kit))
        #expect(bench.model.statistics.swallowed == (system == .kit ? 0 : 2))
        #expect(bench.sink.rows.isEmpty)
    }

    @Test(
        "accept-then-die stores, a reset for a device does not, cut and slow answers have their length",
        arguments: CollectorSystem.allCases)
    func otherFaults(system: CollectorSystem) {
        var bench = Bench()
        var fault = LateFault()
        fault.diesAfterAccept = true
        #expect(bench.post(.of(system), fault: fault).disposition == .stored)
        #expect(bench.sink.rows.count == 2)
        fault = LateFault()
        fault.resetsUnread = true
        #expect(bench.post(.of(system), fault: fault).disposition == .notStored)
        #expect(bench.sink.rows.count == 2)
        fault = LateFault()
        fault.truncatedBytes = 100
        let reply = bench.post(.of(system), fault: fault)
        #expect(reply.body.count == 100)
        #expect(reply.endsAfter == 50)
        #expect(bench.sink.rows.count == 4)
    }

    @Test("a fault finds its device in every system's body", arguments: CollectorSystem.allCases)
    func device(system: CollectorSystem) {
        var plan = CollectorPlan()
        var window = FaultWindow(from: Instant(nanoseconds: 0), until: .distantFuture, fault: .status(500))
        window.device = 3
        window.uploadNumber = 1
        plan.faults = [window]
        var model = CollectorModel(plan: plan)
        var director = FaultDirector(plan: plan)
        var sink = NullSink()
        func statuses(_ ids: [String?]) -> [UInt16] {
            let upload = SystemUpload.of(system, ids: ids)
            var headers = CollectedHeaders()
            for (header, value) in upload.headers { headers[header] = value }
            return (0..<3).map { _ in
                upload.body.withUnsafeBytes { bytes in
                    let request = CollectedRequest(
                        method: .post, path: upload.path, query: upload.query, headers: headers, body: bytes)
                    return model.receive(
                        request, at: Instant(nanoseconds: 1), director: &director, sink: &sink
                    )
                    .reply.status
                }
            }
        }
        #expect(statuses(["4-0"]) == [200, 200, 200])
        #expect(statuses([nil, "3-0"]) == [200, 500, 200])
        #expect(statuses([nil]) == [200, 200, 200])
    }

    // MARK: Keys of payloads

    @Test("the key of a stored payload is the event's", arguments: CollectorSystem.allCases)
    func payloadKeys(system: CollectorSystem) {
        let reader = EventKeyReader()
        var bench = Bench()
        bench.post(.of(system, ids: ["3-0", nil, "3-1", nil]))
        #expect(bench.sink.rows.count == 4)
        for row in bench.sink.rows {
            let key = Array(row.payload.utf8).withUnsafeBytes { reader.key(of: $0) }
            #expect(key?.text == row.id, "\(row.payload)")
        }
    }

    @Test(
        "what is no event has no key",
        arguments: ["", "[]", "{}", "7", #"{"id":"1-2"}"#, "0,1,a~1-2,r", "100,1,a|b|c|d|e|f~x,r"])
    func noKeys(text: String) {
        #expect(Array(text.utf8).withUnsafeBytes { EventKeyReader().key(of: $0) } == nil)
    }

    @Test("a row of Kit's as it was written has a key where it has an id")
    func rowKey() {
        let row = "100,1,UIButton|T|s|0|{{1, 2}, {3, 4}}|x~5-6,UIButton点击事件"
        #expect(Array(row.utf8).withUnsafeBytes { EventKeyReader().key(of: $0)?.text } == "5-6")
    }

    // MARK: Properties

    @Test(
        "no mutation of a good body crashes its decoder, and what is read twice is the same",
        arguments: CollectorSystem.allCases)
    func mutations(system: CollectorSystem) {
        let seed: UInt64 = 0xC0DE
        var draw = RandomStream(seed: seed, population: 0, index: 0, purpose: .test)
        let uploads = variants(of: system)
        for round in 0..<1500 {
            var upload = uploads[Int(draw.below(UInt64(uploads.count)))]
            mutate(&upload.body, &draw)
            var bench = Bench()
            let reply = bench.post(upload)
            let first = bench.sink.rows
            let undecodable = bench.model.statistics.undecodable
            #expect(
                reply.status == (first.isEmpty && undecodable > 0 ? 400 : 200), "seed \(seed), round \(round)"
            )
            bench.post(upload)
            let second = bench.sink.rows.dropFirst(first.count)
            #expect(second.map(\.id) == first.map(\.id), "seed \(seed), round \(round)")
            #expect(second.map(\.payload) == first.map(\.payload), "seed \(seed), round \(round)")
            #expect(second.allSatisfy { $0.copy > 0 }, "seed \(seed), round \(round)")
            #expect(bench.model.statistics.undecodable == 2 * undecodable, "seed \(seed), round \(round)")
        }
    }

    private func variants(of system: CollectorSystem) -> [SystemUpload] {
        var uploads = [SystemUpload.of(system), .of(system, ids: [nil, "3-0", nil])]
        guard system == .growing else { return uploads }
        for golden in GoldenBodies.all {
            uploads.append(
                .growing(
                    bytes(hexadecimal: golden.hexadecimal), compress: golden.compress, crypt: golden.crypt))
        }
        uploads.append(.growing(bytes(hexadecimal: GoldenBodies.message), type: "application/protobuf"))
        uploads.append(
            .growing(#"[{"t":"clck","s":"s","e":[{"tm":1},{"tm":2}]}]"#.utf8, path: "/v3/a/ios/other"))
        return uploads
    }

    private func mutate(_ body: inout [UInt8], _ draw: inout RandomStream) {
        for _ in 0...draw.below(3) {
            let offset = Int(draw.below(UInt64(body.count)))
            switch draw.below(4) {
            case 0: body.remove(at: offset)
            case 1: body.insert(UInt8(truncatingIfNeeded: draw.next()), at: offset)
            case 2: body = Array(body.prefix(max(1, offset)))
            default: body[offset] = UInt8(truncatingIfNeeded: draw.next())
            }
            if body.isEmpty { body = [0] }
        }
    }
}
