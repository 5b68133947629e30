import DeclaredSDK
import DeviceSDK
import SDKDescription
import Testing

@testable import Scenario

@Suite("Descriptions in files of their own")
struct DescriptionFileTextTests {
    private static let description =
        #""events": {"key": ["/i"], "common": {"i": "{{id}}"}, "screen": {"name": "s"}}"#

    private func load(
        _ name: String, holding content: String, _ environment: [String: String] = [:], as file: String
    ) -> Result<ScenarioDocument, ScenarioProblems> {
        let text = """
            {"duration": "1m", "populations": [
              {"name": "p", "devices": 1, "system": "declared", "sdk": {"file": "\(name)"}}]}
            """
        return ScenarioLoader.load(
            bytes: Array(text.utf8), name: "s", environment: environment,
            readFile: { $0 == file ? Array(content.utf8) : nil })
    }

    private func problems(_ loaded: Result<ScenarioDocument, ScenarioProblems>) -> [String] {
        guard case .failure(let failure) = loaded else { return [] }
        return failure.problems.map { "\($0.pointer): \($0.kind.rawValue): \($0.found)" }
    }

    @Test("a file's name may hold variables, which are neither secrets nor a part of the scenario")
    func variables() throws {
        let content = "{\(Self.description)}"
        let loaded = load("${DIR}/a.json", holding: content, ["DIR": "/sdks"], as: "/sdks/a.json")
        let document = try loaded.get()
        #expect(document.variables.isEmpty && !document.redactor.hasSecrets)
        #expect(
            problems(load("${DIR}/a.json", holding: content, as: "/a.json")) == [
                "/populations/0/sdk/file: unset variable: ${DIR}"
            ])
        #expect(
            problems(load("${DIR}/a.json", holding: content, ["DIR": "/b"], as: "/a.json")) == [
                #"/populations/0/sdk/file: unknown name: "/b/a.json""#
            ])
    }

    @Test("a file may have comments and commas at the end, as a scenario and a file of collect --sdk")
    func byHand() throws {
        let content = "// Ours.\n{\(Self.description), \"storage\": {\"limit\": 7,},}"
        let document = try load("a.json", holding: content, as: "a.json").get()
        let rules = try #require(document.populations[0].system as? DeclaredRules)
        #expect(rules.sdk.storage.limit == 7)
    }

    @Test("what is wrong in it is told with its place there, a key that is there twice too")
    func places() {
        #expect(
            problems(load("a.json", holding: "{\n \(Self.description),\n \"name\": 5}", as: "a.json")) == [
                "/populations/0/sdk/name: wrong type: 5 in a.json:3:10"
            ])
        let twice = "{\"name\": \"a\",\n \"name\": \"b\", \(Self.description)}"
        #expect(
            problems(load("a.json", holding: twice, as: "a.json")) == [
                #"/populations/0/sdk/name: duplicate key: a second "name" in a.json:2:2, the first in a.json:1:2"#
            ])
        #expect(
            problems(load("a.json", holding: "{\n nothing}", as: "a.json")).first?.hasPrefix(
                "/populations/0/sdk/file: syntax: a.json:2:2: ") == true)
    }
}
