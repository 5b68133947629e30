import AppModel
import Testing

@testable import Scenario

@Suite("Warnings of what has no effect") struct WithoutEffectWarningTests {
    private func warnings(_ text: String) throws -> [String] {
        try document(text).warnings.map(\.pointer)
    }

    private func described(_ members: String) -> String {
        """
        {"duration": "1m", "populations": [{"name": "p", "devices": 1, "system": "declared", "sdk": {\(members),
         "events": {"key": ["/i"], "common": {"i": "{{id}}", "n": "{{name}}", "t": "{{time|iso}}", "v": "{{ used }}"},
                    "screen": {"name": "view"}, "business": {"name": "{{event}}"}}}}]}
        """
    }

    @Test("constants that no template has")
    func constants() throws {
        let found = try warnings(described(#""consts": {"used": "1", "spare": "{{used}}"}"#))
        #expect(found == ["/populations/0/sdk/consts/spare"])
    }

    @Test("events at once that the app does not send")
    func immediate() throws {
        let own = try #require(Presets.app(named: "shop")?.events.first?.name)
        let names = #"["\#(own)", "view", "Veiw"]"#
        let consts = #""consts": {"used": "1"}"#
        let found = try warnings(described(#"\#(consts), "upload": {"immediate": \#(names)}"#))
        #expect(found == ["/populations/0/sdk/upload/immediate/2"])
        let sensors =
            #""version": "4.9.1", "sdk": {"upload": {"immediate": ["\#(own)", "Nothing", "$SignUp"],"#
            + #" "instant": ["Neither"]}}"#
        let pointers = try warnings(scenario(population: sensors))
        #expect(
            pointers == ["/populations/0/sdk/upload/immediate/1", "/populations/0/sdk/upload/instant/0"])
    }

    @Test("events and properties that Sensors refuses for their names")
    func refusedNames() throws {
        let app = #"""
            "apps": {"a": {"screens": [{"name": "home", "class": "Home"}], "events": [
              {"name": "下单", "on": "launch"}, {"name": "Pay", "on": "launch", "properties": {"价格": {"constant": 3},
                "time": {"constant": 1}, "x": {"constant": 1}}},
              {"name": "Ok", "on": "launch", "properties": {"$price": {"constant": 1}}}]}}
            """#
        func texts(_ version: String) throws -> [String] {
            let population = #""app": "a", "version": "\#(version)""#
            return try document(scenario(app, population: population)).warnings
                .filter { $0.pointer == "/populations/0/app" }.map(\.text)
        }
        let old = try texts("1.10.17")
        #expect(old.count == 2)
        #expect(old.first?.contains(#"drops each "下单", because of its name:"#) == true)
        #expect(old.last?.contains(#"drops each "Pay", because of the name of its property "价格":"#) == true)
        let new = try texts("4.9.1")
        #expect(new.count == 1)
        #expect(new.first?.contains(#"sends "Pay" without "价格", "time", because of the name:"#) == true)
    }

    @Test("since when people have an app that nobody deletes")
    func installedOver() throws {
        let pointer = "/populations/0/persona"
        let since = #""persona": {"extends": "casual", "installedOver": "30d""#
        #expect(try warnings(scenario(population: since + "}")) == [pointer])
        #expect(try !warnings(scenario(population: since + #", "retention": "mobile"}"#)).contains(pointer))
    }

    @Test("an array's problem tells of what")
    func elements() {
        let text = described(
            #""consts": {"used": "1"}, "retry": {"latch": {"on": ["offline"], "until": "network"}}"#)
        #expect(
            problems(text).map(\.allowed) == [#"an array of 0 to 3 ends: "network", "foreground", "launch""#])
    }
}
