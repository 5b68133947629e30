import Testing
import Wire

@testable import Scenario

@Suite("Secrets in problems")
struct ProblemSecretTests {
    @Test("a hint tells no value of a variable")
    func hints() {
        let entry = #"{"at": "1s", "population": "acm", "device": {"network": "none"}}"#
        let text = scenario(#""timeline": [\#(entry)]"#).replacing(#""ios""#, with: #""${TENANT}""#)
        let found = problems(text, environment: ["TENANT": "acme-secret-corp"])
        #expect(found.map(\.pointer) == ["/timeline/0/population"])
        #expect(found.map(\.nearest) == [nil])
        #expect(found.allSatisfy { !$0.text(file: "f").contains("secret-corp") })
    }

    @Test(
        "a key that is wrong by itself is not told, nor a token",
        arguments: [
            (#""target": {"apiKey": 4815162342108}"#, "", "4815162342108"),
            (#""target": {"apiKey": "sk-live-abcdef\u0000"}"#, "", "sk-live"),
            (#""target": {"headers": {"Authorization": 987654321012}}"#, "", "987654321012"),
            (#""description": "x""#, #""sdk": {"cookie": "sess=qqqwww\u0000"}"#, "qqqwww"),
            (#""variants": {"v": {"populations.ios.sdk.cookie": 5554443332}}"#, "", "5554443332"),
        ])
    func refusedSecrets(extra: String, population: String, secret: String) {
        let found = problems(scenario(extra, population: population))
        #expect(found.map(\.found) == [Redactor.mask], "\(found.map(\.pointer))")
        #expect(found.allSatisfy { !$0.text(file: "f").contains(secret) })
    }

    @Test("a key for AES that is too short or too long is not told")
    func aesKey() {
        let sdk = #""sdk": {"services": {"aesKey": "shortsecretkey", "encryption": "aes"}}"#
        let text = scenario(population: sdk).replacing(#""sensors""#, with: #""growing""#)
        let found = problems(text)
        #expect(found.contains { $0.pointer.hasSuffix("/services/aesKey") })
        #expect(found.allSatisfy { !$0.text(file: "f").contains("shortsecretkey") })
    }

    @Test("by a path into a key it is not told either")
    func paths() {
        let text = scenario(#""target": {"url": "http://h/sa", "apiKey": "sk-live-abcdef"}"#)
        let found = problems(text, options: sets("target.apiKey.x=1"))
        #expect(found.map(\.found) == [Redactor.mask])
    }

    @Test("what kind of value is there is told, and values of other keys are")
    func told() {
        #expect(problems(scenario(#""target": {"apiKey": ["a"]}"#)).map(\.found) == ["an array"])
        #expect(
            problems(scenario(#""target": {"headers": {"A Token": "x"}}"#)).map(\.found) == [#""A Token""#])
        #expect(problems(scenario(#""target": {"accountId": 17}"#)).map(\.found) == ["17"])
    }
}
