import Measurement
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Reporting
import Synchronization
import Testing
import Timebase

@testable import Beaconswarm

/// What is known of work, with how often it was asked for.
private final class DrawnState: Sendable {
    private let report: CapacityReport
    private let counts = Mutex((stamp: UInt64(1), drawings: 0))

    init(_ report: CapacityReport) { self.report = report }

    var stamp: UInt64 { counts.withLock { $0.stamp } }
    var drawings: Int { counts.withLock { $0.drawings } }
    func renew() { counts.withLock { $0.stamp += 1 } }
    func draw() -> Watch.Content {
        counts.withLock { $0.drawings += 1 }
        return .search(report)
    }
}

@Suite("Watching: addresses, tokens, versions and budgets")
struct WatchTests {
    @Test(
        "An address is this machine's own unless it says otherwise",
        arguments: [
            ("127.0.0.1:0", "127.0.0.1", 0, true), (":5665", "127.0.0.1", 5665, true),
            ("5665", "127.0.0.1", 5665, true), ("localhost:1", "localhost", 1, true),
            ("[::1]:80", "::1", 80, true), ("0.0.0.0:80", "0.0.0.0", 80, false),
            ("10.1.2.3:65535", "10.1.2.3", 65_535, false), ("[fd00::1]:80", "fd00::1", 80, false),
        ])
    func address(text: String, host: String, port: Int, isLoopback: Bool) throws {
        let address = try ListenAddress(text, of: .ui)
        #expect(address.host == host && address.port == port && address.isLoopback == isLoopback)
    }

    @Test(
        "What is no address is refused by name",
        arguments: [
            "", "host", "host:", "host:-1", "1.2.3.4:65536", "http://127.0.0.1:80", "[]:80", "a/b:80",
            "[::1:80", "::1]:80",
        ])
    func wrongAddress(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try ListenAddress(text, of: .ui) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains("--ui \(text)") == true)
    }

    @Test(
        "A collector's address has a host",
        arguments: ["", "8106", ":8106", "[::1:8106", "[]:8106", "http://127.0.0.1:8106", "127.0.0.1:x"])
    func wrongCollector(text: String) throws {
        let failure = #expect(throws: CommandFailure.self) { try ListenAddress(text, of: .listen) }
        #expect(failure?.message == "--listen \(text): expected HOST:PORT, such as 127.0.0.1:8106")
        let address = try ListenAddress("[::1]:0", of: .listen)
        #expect((address.host, address.port, address.urlHost) == ("::1", 0, "[::1]"))
    }

    @Test(
        "What is wrong with an address or a URL is said, and no password",
        arguments: [
            ("http://otel:99999", "http://otel:99999: expected a port from 1 to 65535"),
            ("http://u:hush@otel/x", "http://[redacted]@otel/x: expected a URL without a user and password"),
            ("http://otel/#x", "http://otel/#x: expected a URL without a fragment (#)"),
            ("otel", "otel: expected a URL such as http://otel, http or https"),
        ])
    func problems(text: String, words: String) {
        #expect(HTTPEndpoint.problem(text, example: "http://otel") == words)
        let failure = #expect(throws: CommandFailure.self) { try ListenAddress("99999", of: .ui) }
        #expect(
            failure?.message == "--ui 99999: expected a port from 1 to 65535, or 0, which takes a free one")
    }

    @Test("A token admits itself and nothing else")
    func token() throws {
        let token = WatchToken()
        #expect(token.text.count == 32 && token.text != WatchToken().text)
        #expect(token.admits(token.text))
        let first = token.text.first == "0" ? "1" : "0"
        for wrong in [
            nil, "", String(token.text.dropLast()), token.text + "0", first + token.text.dropFirst(),
        ] {
            #expect(!token.admits(wrong))
        }
        #expect(try WatchToken([WatchToken.variable: "0123456789abcdef"]).text == "0123456789abcdef")
        #expect(try WatchToken([WatchToken.variable: ""]).text.count == 32)
        for wrong in ["0123456789abcde", "0123456789abcdef&x=1", "0123456789abcdefé"] {
            #expect(throws: CommandFailure.self) { try WatchToken([WatchToken.variable: wrong]) }
        }
    }

    @Test("Whoever has seen a version gets what changed since, and strangers get all")
    func board() {
        func part(_ id: String, _ html: String) -> LivePage.Part { LivePage.Part(id: id, html: html) }
        var board = WatchBoard(name: "b")
        board.take([part("x", "1"), part("y", "1")])
        let first = board.id
        #expect(board.version(of: first) == board.version)
        board.take([part("x", "1"), part("y", "1")])
        #expect(board.id == first, "what did not change is no news")
        board.take([part("y", "2"), part("z", "1")])
        #expect(board.parts(since: board.version(of: first)) == [part("y", "2"), part("z", "1")])
        #expect(board.parts(since: board.version).isEmpty)
        let all = [part("x", "1"), part("y", "2"), part("z", "1")]
        for stranger in [nil, "", "a-1", "b-", "b-99", "b--1", "b-1x"] {
            #expect(board.parts(since: board.version(of: stranger)) == all)
        }
    }

    @Test("What is drawn takes no more than its share of a core, and no more than one state in a second")
    func budget() {
        var budget = WatchBudget()
        #expect(budget.isDue(at: .zero))
        budget.note(cost: .milliseconds(1), at: .seconds(10))
        #expect(!budget.isDue(at: .milliseconds(10_800)))
        #expect(budget.isDue(at: .milliseconds(10_900)))
        budget.note(cost: .milliseconds(50), at: .seconds(20))
        #expect(!budget.isDue(at: .milliseconds(29_999)))
        #expect(budget.isDue(at: .seconds(30)))
    }

    @Test("What is scraped is of the latest state, and drawn once for each state")
    func scraped() {
        let report = CapacityReport(
            toolVersion: "0", scenario: .init(name: "x", description: "", sha256: "", overrides: []),
            mode: .live, seed: 1, startedAt: Instant(milliseconds: 0),
            run: .init(command: [], host: "", operatingSystem: "", cores: 1, memoryBytes: 0, target: ""),
            scaling: .devices, precision: 0.02, conditions: [])
        let watch = Watch(title: "t")
        var page = MetricsPage()
        let state = DrawnState(report)
        watch.follow { (state.stamp, { state.draw() }) }
        for _ in 0..<3 { _ = page.text(of: watch) }
        #expect(state.drawings == 1)
        state.renew()
        for _ in 0..<3 { _ = page.text(of: watch) }
        #expect(state.drawings == 2, "a new state is told at once")
    }

    @Test("The end tells where the report is, if there is a folder, and no colours are told")
    func ending() throws {
        let watch = Watch(title: "t")
        watch.say("\u{1B}[1;32mheld\u{1B}[0m  40")
        #expect(watch.standing.said == ["held  40"])
        watch.keep(in: "/")
        watch.keep(in: "/nowhere/run-1")
        watch.end(.success)
        #expect(
            watch.standing.ending
                == "The program has ended; the report is in /, and this page stays as it is.")
        #expect(watch.standing.farewell == "Drawn as it happened; the report is in /.")
        let other = Watch(title: "t")
        other.keep(in: "/nowhere/at/all")
        other.end(.usage)
        #expect(other.standing.ending?.hasPrefix("The program has ended with exit code") == true)
        #expect(other.standing.farewell == "Drawn as it happened.")
    }

    @Test("Of runs one after the other, progress is that of all, whichever goes on")
    func turns() {
        let watch = Watch(title: "t")
        var options = RunOptions(source: ScenarioSource(path: "x.json"))
        (options.watch, options.quiet) = (watch, true)
        let recorder = RunRecorder(start: Instant(milliseconds: 0), populationCount: 1)
        func share(done: Int?, _ own: Double, phase: String, planned: Interval? = .seconds(60)) -> Double? {
            let turn = done.map { RunTurn(done: $0, count: 4, began: Host.monotonic, length: .seconds(90)) }
            RunConsole(progressOf: options, name: "seed 1", turn: turn).progress(
                recorder, elapsed: .seconds(30), planned: planned, share: own, phase: phase, isLive: true)
            return watch.standing.share
        }
        #expect(share(done: 0, 0.5, phase: "running") == 0.125)
        #expect(watch.standing.line.hasPrefix("run 1 of 4, running 30 s/1m"))
        #expect(share(done: 0, 0.8, phase: "draining", planned: nil) == 0.2)
        #expect(watch.standing.line == "run 1 of 4, draining, 30 s since the start")
        #expect(share(done: 1, 0, phase: "running") == 0.25)
        #expect(share(done: nil, 0.5, phase: "running") == 0.5)
        #expect(watch.standing.line.hasPrefix("running 30 s/1m"))
        let turn = RunTurn(done: 1, count: 4, began: Host.monotonic - .seconds(100), length: .seconds(90))
        let left = turn.left(0)?.fractionalSeconds ?? 0
        #expect(left >= 300, "a quarter took 100 s")
        let first = RunTurn(done: 0, count: 4, began: .zero, length: .seconds(90))
        #expect(first.left(0) == .seconds(360) && first.left(0.5) == .seconds(315))
    }

    @Test(
        "Work that was broken off keeps how far it was, and is not said to have a report",
        arguments: [
            (CommandStatus.interrupted, "interrupted"), (.internalError, "failed"), (.unreachable, "failed"),
        ])
    func brokenOff(status: CommandStatus, outcome: String) {
        let watch = Watch(title: "t")
        watch.show("day 3", share: 0.4)
        watch.keep(in: "/")
        watch.end(status)
        #expect(watch.standing.share == 0.4 && watch.standing.outcome == outcome)
        #expect(
            watch.standing.ending
                == "The program has ended with exit code \(status.rawValue); what there is so far is in /, "
                + "and this page stays as it is.")
        #expect(watch.standing.farewell == "Drawn as it happened; what there is so far is in /.")
    }

    @Test(
        "Work that was done is done, and has its report, whatever came of it",
        arguments: [(CommandStatus.success, "done"), (.thresholdFailed, "failed"), (.invalidRun, "invalid")])
    func whole(status: CommandStatus, outcome: String) {
        let watch = Watch(title: "t")
        watch.show("1m", share: 0.99)
        watch.keep(in: "/")
        watch.end(status)
        #expect(watch.standing.share == 1 && watch.standing.outcome == outcome)
        #expect(watch.standing.farewell == "Drawn as it happened; the report is in /.")
    }

    @Test("The title of a page's tab tells how far the work is, and what it came to")
    func title() throws {
        let watch = Watch(title: "t")
        watch.show("day 3", share: 0.4)
        let hub = WatchHub(watch, token: WatchToken())
        let channel = EmbeddedChannel()
        hub.join(channel, since: nil)
        watch.end(.interrupted)
        hub.end()
        let lines = try said(on: channel).split(separator: "\n")
        let titles = lines.compactMap { line -> String? in
            guard let key = line.firstRange(of: "\"title\":\"") else { return nil }
            return String(line[key.upperBound...].prefix { $0 != "\"" })
        }
        #expect(titles == ["40 % · t – Beaconswarm", "interrupted · t – Beaconswarm"])
    }

    /// All that was sent on a channel.
    private func said(on channel: EmbeddedChannel) throws -> String {
        var said = ""
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .body(.byteBuffer(let bytes)) = part { said += String(buffer: bytes) }
        }
        return said
    }

    @Test("Who comes when the last word is said already hears it, too")
    func lateViewer() throws {
        let watch = Watch(title: "t")
        watch.end(.success)
        let hub = WatchHub(watch, token: WatchToken())
        hub.end()
        let channel = EmbeddedChannel()
        hub.join(channel, since: nil)
        #expect(try said(on: channel).contains("\nevent: end\ndata: {"))
    }

    @Test("Only the newest lines are remembered, and a share is one")
    func standing() {
        let watch = Watch(title: "t")
        for number in 0..<250 { watch.say("line \(number)") }
        #expect(watch.standing.said.count == 100)
        #expect(watch.standing.said.last == "line 249")
        watch.show("x", share: 1.5)
        #expect(watch.standing.share == 1)
        #expect(!watch.canEnd, "there is nothing to be ended")
        watch.askForEnd(atOnce: true)
        #expect(watch.asked == 0)
    }

    @Test(
        "A URL to push to may be a base or whole",
        arguments: [
            ("http://127.0.0.1:4318", "127.0.0.1", 4318, false, "/v1/metrics"),
            ("http://otel", "otel", 4318, false, "/v1/metrics"),
            ("https://otel.example/", "otel.example", 443, true, "/v1/metrics"),
            ("https://otel.example/otlp/", "otel.example", 443, true, "/otlp/v1/metrics"),
            ("http://[::1]:9/v1/metrics?k=1", "::1", 9, false, "/v1/metrics?k=1"),
        ])
    func endpoint(text: String, host: String, port: Int, isSecure: Bool, path: String) throws {
        let headers = ["OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x=1"]
        let endpoint = try OTLPEndpoint(text, environment: headers)
        #expect(endpoint.http.host == host && endpoint.http.port == port)
        #expect(endpoint.http.isSecure == isSecure && endpoint.http.path == path)
        #expect(endpoint.headers.map(\.name) == ["api-key", "x"])
        #expect(endpoint.headers.map(\.value) == ["a b", "1"])
        #expect(!endpoint.http.origin.contains("k=1"), "what may be a key is not told")
    }

    @Test(
        "What cannot be pushed to is refused by name",
        arguments: ["", "otel:4318", "ftp://otel", "http://", "http://u:p@otel", "http://otel:0"])
    func wrongEndpoint(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try OTLPEndpoint(text, environment: [:]) }
        #expect(failure?.code == .usage)
        #expect(failure?.message.contains("--otlp") == true)
        #expect(failure?.message.contains("p@") == false)
    }
}
