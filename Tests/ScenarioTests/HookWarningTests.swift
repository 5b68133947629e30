import Testing

@testable import Scenario

@Suite("Users whose doings a system's hooks cannot see")
struct HookWarningTests {
    /// The warnings about a population of a system; the app `bare` has no events of its own.
    private func warnings(_ system: String, _ rest: String) throws -> [ScenarioWarning] {
        let text = """
            {
              "duration": "1m",
              "populations": [{"name": "p", "devices": 1, "system": "\(system)", \(rest)}],
              "personas": {"own": {"extends": "steady"}},
              "apps": {"bare": {"screens": [
                {"name": "home", "class": "Home", "controls": [{"class": "UIButton", "action": "go:"}]}
              ]}}
            }
            """
        return try document(text).warnings.filter { $0.pointer.hasPrefix("/populations") }
    }

    @Test(
        "a steady persona, whatever it is called, says what to use instead", arguments: ["kit", "codeless"],
        [#""steady""#, #""own""#, #"{"preset": "steady", "rate": "2/s"}"#])
    func unseen(system: String, persona: String) throws {
        let warnings = try warnings(system, #""persona": \#(persona)"#)
        #expect(warnings.map(\.pointer) == ["/populations/0/persona"])
        for word in ["\"p\"", "\"\(system)\"", "\"casual\""] {
            #expect(warnings.allSatisfy { $0.text.contains(word) })
        }
    }

    @Test(
        "people, and a steady persona in an app in which it taps, are seen", arguments: ["kit", "codeless"])
    func seen(system: String) throws {
        #expect(try warnings(system, #""persona": "casual""#).isEmpty)
        #expect(try warnings(system, #""persona": "steady", "app": "bare""#).isEmpty)
    }

    @Test("apps tell these systems of their events", arguments: ["sensors", "growing", "trackingsdk"])
    func told(system: String) throws {
        #expect(try warnings(system, #""persona": "steady""#).isEmpty)
    }
}
