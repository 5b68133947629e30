import DeviceSDK
import Testing
import Timebase

@testable import Scenario

@Suite("Targets")
struct TargetTests {
    private static func targets(_ extra: String, population: String = "") throws -> [PopulationPlan.Target] {
        try document(scenario(extra, population: population)).populations[0].targets
    }

    @Test("https has a port and rules of its own")
    func https() throws {
        let target = try #require(
            try Self.targets(
                #"""
                "target": {"url": "https://collector.example/sa?project=p", "tls": {"ca": "ca.pem",
                  "certificate": "me.pem", "key": "/k/me.key", "serverName": "www.example", "insecure": true},
                  "dns": {"ttl": "0s"}, "headers": {"X-A": "1"}}
                """#
            ).first)
        #expect(target.origin == "https://collector.example:443")
        #expect(target.url == "https://collector.example:443/sa?project=p")
        #expect(target.isSecure)
        #expect(target.tls.authorityFile == "ca.pem")
        #expect(target.tls.certificateFile == "me.pem")
        #expect(target.tls.keyFile == "/k/me.key")
        #expect(target.tls.serverName == "www.example")
        #expect(target.tls.isInsecure)
        #expect(target.addressLifetime == .zero)
        #expect(target.headers.map(\.name) == ["X-A"])
    }

    @Test("an account that a client puts into its URL is a part of one")
    func accounts() {
        for account in ["a b", "a/b", "a?b", "账户"] {
            let target = #""target": {"accountId": "\#(account)"}"#
            #expect(problems(scenario(target)).map(\.pointer) == ["/target/accountId"])
            let own = problems(scenario(population: target))
            #expect(own.map(\.pointer) == ["/populations/0/target/accountId"])
        }
        #expect(problems(scenario(#""target": {"accountId": "a%20b"}"#)).isEmpty)
        // The URL's own query says it all.
        let whole = #""target": {"url": "http://127.0.0.1:1/sa?project=p", "accountId": "a b"}"#
        #expect(problems(scenario(whole)).isEmpty)
        let shared = #"""
            {"duration": "1m", "target": {"accountId": "a b"}, "populations": [
              {"name": "a", "devices": 1, "system": "growing"}, {"name": "b", "devices": 1, "system": "growing"}
            ]}
            """#
        #expect(problems(shared).map(\.pointer) == ["/target/accountId"])
    }

    @Test("by default is one verified, looked up every five minutes, and a connection for each device")
    func defaults() throws {
        let target = try #require(try Self.targets(#""target": {"url": "https://h/sa"}"#).first)
        #expect(target.tls == PopulationPlan.Target.TLSRules())
        #expect(target.addressLifetime == .minutes(5))
        #expect(target.connections == .perDevice)
    }

    @Test(
        "connections are named, or counted",
        arguments: [
            (#""perDevice""#, PopulationPlan.Target.Connections.perDevice), (#""perRequest""#, .perRequest),
            (#"{"pooled": 50}"#, .pooled(50)),
        ])
    func connections(text: String, expected: PopulationPlan.Target.Connections) throws {
        let url = #""url": "http://h/sa", "#
        #expect(try Self.targets(#""target": {\#(url)"connections": \#(text)}"#)[0].connections == expected)
        #expect(
            try Self.targets(
                #""target": {\#(url)"headers": {}}"#, population: #""target": {"connections": \#(text)}"#)[0]
                .connections == expected)
        let embedded = try document(scenario(#""target": {"connections": \#(text)}"#))
        #expect(embedded.needsEmbeddedCollector)
        #expect(
            embedded.plans(start: ScenarioDocument.virtualStart).populations[0].target.connections == expected
        )
    }

    @Test("several addresses share everything but their origin, and devices use them in turn")
    func several() throws {
        let text = scenario(
            #""target": {"urls": ["http://a/sa", "http://b:81/sa", "https://c/sa"], "headers": {"X-A": "1"}}"#
        )
        let document = try document(text)
        let plan = document.plans(start: ScenarioDocument.virtualStart).populations[0]
        #expect(
            plan.targets.map(\.url) == ["http://a:80/sa", "http://b:81/sa", "https://c:443/sa"])
        #expect(plan.targets.allSatisfy { $0.headers.map(\.name) == ["X-A"] })
        #expect(plan.target.host == "a")
        #expect((0..<4).map { plan.target(ofDevice: $0).host } == ["a", "b", "c", "a"])
    }

    @Test("one URL of the command line takes the place of several")
    func override() throws {
        var options = ScenarioOptions()
        options.target = "http://option/sa"
        let text = scenario(
            #""target": {"urls": ["http://a/sa", "http://b/sa"]}"#,
            population: #""target": {"urls": ["http://c/sa", "http://d/sa"]}"#)
        #expect(try document(text, options: options).populations[0].targets.map(\.host) == ["option"])
    }

    @Test("--insecure reaches every target, and is said in a warning")
    func insecure() throws {
        var options = ScenarioOptions()
        options.insecure = true
        let plain = try document(scenario(#""target": {"url": "https://a/sa"}"#), options: options)
        #expect(plain.populations[0].targets.map(\.tls.isInsecure) == [true])
        #expect(plain.warnings.map(\.pointer) == ["/target/tls/insecure"])
        #expect(plain.overrides.map(\.origin) == ["--insecure"])
        let own = try document(
            scenario(population: #""target": {"url": "https://a/sa", "tls": {"ca": "a.pem"}}"#),
            options: options)
        #expect(own.populations[0].targets.map(\.tls.isInsecure) == [true])
        #expect(own.populations[0].targets.map(\.tls.authorityFile) == ["a.pem"])
        // The embedded collector has no certificate to believe.
        #expect(try document(scenario(), options: options).needsEmbeddedCollector)
    }

    @Test("relative files begin at the folder that is given")
    func files() throws {
        var document = try document(
            scenario(
                #""target": {"urls": ["https://a/sa", "https://b/sa"], "tls": {"ca": "x/ca.pem", "certificate": "/me.pem"}}"#
            ))
        document.resolveTargetFiles(in: "some/where")
        #expect(
            document.populations[0].targets.map(\.tls.authorityFile) == [
                "some/where/x/ca.pem", "some/where/x/ca.pem",
            ])
        #expect(document.populations[0].targets[0].tls.certificateFile == "/me.pem")
        #expect(document.populations[0].targets[0].tls.keyFile == nil)
    }

    @Test(
        "what does not fit together is told with its place",
        arguments: [
            (#""url": "http://a/sa", "urls": ["http://b/sa"]"#, "/target/urls/0"),
            (#""urls": ["http://a/sa", "http://b/other"]"#, "/target/urls/1"),
            (#""urls": ["http://a/sa", "http://a:80/sa"]"#, "/target/urls/1"),
            (#""urls": ["http://a/sa", "gopher://b/sa"]"#, "/target/urls/1"),
            (#""urls": []"#, "/target/urls"),
            (#""urls": ["http://a/sa", "http://b/sa"], "connections": {"pooled": 1}"#, "/target/connections"),
            (#""connections": {"pooled": 0}"#, "/target/connections/pooled"),
            (#""connections": {}"#, "/target/connections"),
            (#""connections": "pooled""#, "/target/connections"),
            (#""connections": 5"#, "/target/connections"),
            (#""tls": {"key": "a.key"}"#, "/target/tls/key"),
            (#""tls": {"serverName": "10.0.0.1"}"#, "/target/tls/serverName"),
            (#""tls": {"serverName": "a b"}"#, "/target/tls/serverName"),
            (#""tls": {"verify": false}"#, "/target/tls/verify"), (#""dns": {"ttl": 5}"#, "/target/dns/ttl"),
        ])
    func conflicts(target: String, pointer: String) {
        #expect(problems(scenario(#""target": {\#(target)}"#)).map(\.pointer) == [pointer])
    }

    @Test("a URL with a path goes before the path that all populations share")
    func ownPath() throws {
        let shared = #""target": {"url": "http://a", "path": "/sa?project=x"}"#
        func path(_ target: String, options: ScenarioOptions = ScenarioOptions()) throws -> String? {
            let population = target.isEmpty ? "" : #""target": {\#(target)}"#
            return try document(scenario(shared, population: population), options: options).populations[0]
                .target?.pathAndQuery
        }
        #expect(try path("") == "/sa?project=x")
        #expect(try path(#""url": "http://b""#) == "/sa?project=x")
        #expect(try path(#""url": "http://b/other?z=1""#) == "/other?z=1")
        #expect(try path(#""urls": ["http://b/in", "http://c/in"]"#) == "/in")
        #expect(try path(#""url": "http://b/other", "path": "/own""#) == "/own")
        var options = ScenarioOptions()
        options.target = "http://option/sa?project=y"
        #expect(try path("", options: options) == "/sa?project=y")
        // What a population says of its own path it says of every collector.
        #expect(try path(#""path": "/own""#, options: options) == "/own")
        options.target = "http://option"
        #expect(try path("", options: options) == "/sa?project=x")
    }

    @Test("a population's headers take the place of all shared ones, and none take them away")
    func ownHeaders() throws {
        let headers = #""headers": {"Authorization": "Bearer x", "X-A": "1"}"#
        let shared = #""target": {"url": "http://a/sa", \#(headers)}"#
        func names(_ target: String) throws -> [String] {
            let population = #""target": {"url": "http://b/sa"\#(target)}"#
            return try Self.targets(shared, population: population)[0].headers.map(\.name)
        }
        #expect(try names("") == ["Authorization", "X-A"])
        #expect(try names(#", "headers": {"X-B": "2"}"#) == ["X-B"])
        #expect(try names(#", "headers": {}"#) == [])
    }

    @Test("each address has one of the connections that devices share, wherever the two are named")
    func pooledAddresses() {
        let urls = #""urls": ["http://a/sa", "http://b/sa"]"#
        let shared = #""target": {"url": "http://a/sa", "connections": {"pooled": 1}}"#
        let own = problems(scenario(shared, population: #""target": {\#(urls)}"#))
        #expect(own.map(\.pointer) == ["/populations/0/target/urls/0"])
        let fewer = #""target": {"connections": {"pooled": 1}}"#
        let inherited = problems(scenario(#""target": {\#(urls)}"#, population: fewer))
        #expect(inherited.map(\.pointer) == ["/populations/0/target/connections"])
        let enough = #""target": {\#(urls), "connections": {"pooled": 2}}"#
        #expect(problems(scenario(shared, population: enough)).isEmpty)
    }

    @Test("rules for TLS are no use without it")
    func warnings() throws {
        let document = try document(
            scenario(#""target": {"url": "http://h/sa", "tls": {"ca": "ca.pem"}}"#))
        #expect(document.warnings.map(\.pointer) == ["/target/tls/ca"])
    }

    @Test("a Sensors target without a path is told the one that the project's own collector takes")
    func bareOrigin() throws {
        let bare = try document(scenario(#""target": {"url": "http://h"}"#))
        #expect(bare.warnings.map(\.pointer) == ["/target/url"])
        #expect(bare.warnings[0].text.contains("/sa?project=default"))
        #expect(try document(scenario(#""target": {"url": "http://h/sa"}"#)).warnings.isEmpty)
    }
}
