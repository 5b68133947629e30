import Accounting
import AppModel
import SDKDescription
import Testing
import Timebase
import World

@testable import DeclaredSDK
@testable import DeviceSDK
@testable import Scenario

@Suite("Described SDKs, what is the same for a population")
struct DeclaredPopulationTextTests {
    /// The system of an app whose name is no word, and of a target whose key is none.
    private func system(_ members: String) throws -> DeclaredSystem {
        let json = """
            {"name": "own-ios", \(members), "events": {"tag": "/bs_id", "common": {"name": "{{name}}"},
              "launch": {"name": "{{app.name}} opened"}, "business": {"name": "{{event}} of {{apiKey|upper}}"},
              "screen": {"name": "{{screen.class}} of {{app.id}}"}}}
            """
        let rules = DeclaredRules(try DescriptionReader.read(bytes: Array(json.utf8)).get())
        var app = AppDescription.forTests
        app.displayName = "a b/ö"
        var target = PopulationPlan.Target(
            scheme: "http", host: "127.0.0.1", port: 8106, pathAndQuery: "/own")
        target.apiKey = "k?#"
        let plan = PopulationPlan(
            name: "declared", deviceCount: 1, start: ManualWorld.start,
            usersEnd: ManualWorld.start + .hours(1), app: app, persona: PersonaDescription(name: "none"),
            target: target, system: rules)
        return DeclaredSystem(plan: plan, rules: rules)
    }

    @Test("events are called by it as they are sent, also where one of them is uploaded at once")
    func names() throws {
        let system = try system(#""upload": {"immediate": ["a b/ö opened"]}"#)
        let kinds = system.templates.kinds
        let launch = try #require(kinds.firstIndex { $0.action == .launch })
        #expect(system.labels[launch].name == "a b/ö opened")
        #expect(system.isImmediate.indices.filter { system.isImmediate[$0] } == [launch])
        let business = try #require(kinds.firstIndex { $0.action == .business })
        #expect(system.labels[business].name == "\(kinds[business].event) of K?#")
        // What happens is in this name.
        let screen = try #require(kinds.firstIndex { $0.action == .screen })
        #expect(system.labels[screen].name == "screen")
    }

    @Test("in the path of a configuration it is escaped, and a collector knows the path so")
    func paths() throws {
        let system = try system(#""config": [{"path": "/my%20cfg/{{app.name}}/{{apiKey}}"}]"#)
        #expect(system.fetchHeads.map(\.path) == ["/my%20cfg/a%20b%2F%C3%B6/k%3F%23"])
    }
}
