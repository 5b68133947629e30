import Testing

@testable import Scenario

@Suite("Names that reports may show")
struct PublicNameTests {
    private func document(_ names: [String], _ environment: [String: String]) throws -> ScenarioDocument {
        let populations = names.map { #"{"name": "\#($0)", "devices": 1, "system": "sensors"}"# }
        return try ScenarioTests.document(
            #"{"duration": "1m", "populations": [\#(populations.joined(separator: ","))]}"#,
            environment: environment)
    }

    @Test("hold no secret, and stay apart")
    func apart() throws {
        let loaded = try document(
            ["ios-${A}", "ios", "ios-${B}", "token"], ["A": "hunter2hunter2", "B": "swordfish"])
        #expect(loaded.populations.map(\.name) == ["ios-hunter2hunter2", "ios", "ios-swordfish", "token"])
        #expect(loaded.publicNames == ["ios-[redacted]", "ios", "ios-[redacted]-2", "token"])
        #expect(loaded.publicName(of: "ios-swordfish") == "ios-[redacted]-2")
        #expect(loaded.publicName(of: "nobody") == "nobody")
    }

    @Test("data lose secrets alone, not what a word makes look like one")
    func data() {
        let redactor = Redactor(secrets: ["hunter2hunter2"])
        #expect(redactor.hasSecrets)
        #expect(redactor.redactSecrets("token=abc hunter2hunter2") == "token=abc [redacted]")
        #expect(redactor.redactSecrets(Array("\"hunter2hunter2\"".utf8)) == Array("\"[redacted]\"".utf8))
        #expect(!Redactor(secrets: [""]).hasSecrets)
    }
}
