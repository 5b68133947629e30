import DeviceSDK
import Testing

@testable import Scenario

@Suite("Secrets")
struct SecretTests {
    @Test("takes values of the environment out of every text")
    func variables() throws {
        let text = scenario(
            #""target": {"url": "http://${HOST}/sa?token=${TOKEN}", "headers": {"X-Env": "${STAGE}"}}"#)
        let environment = ["HOST": "collector.internal", "TOKEN": "s3cr3t&x", "STAGE": "p1"]
        let document = try document(text, environment: environment)
        let target = try #require(document.populations[0].target)
        #expect(target.host == "collector.internal")
        #expect(target.pathAndQuery == "/sa?token=s3cr3t&x")
        #expect(target.headers.map(\.value) == ["p1"])
        let told = document.redact("http://collector.internal/sa?token=s3cr3t&x X-Env: p1 s3cr3t%26x p10")
        #expect(told == "http://[redacted]/sa?token=[redacted] X-Env: [redacted] [redacted] p10")
    }

    @Test("takes tokens and keys that stand in the file itself out of every text")
    func ownTokens() throws {
        let text = scenario(
            #""target": {"url": "http://h/sa?project=p&token=abcd1234", "headers": {"Authorization": "Bearer zyx987"}}"#,
            population: #""sdk": {"cookie": "session=qwertz"}"#)
        let document = try document(text)
        let told = document.redact("abcd1234 Bearer zyx987 session=qwertz project=p")
        #expect(told == "[redacted] [redacted] [redacted] project=p")
    }

    @Test("masks secrets by their names even if it never saw them")
    func byName() {
        let redactor = Redactor(secrets: [])
        #expect(
            redactor.redact("GET /sa?project=p&token=abc&x=1") == "GET /sa?project=p&token=[redacted]&x=1")
        #expect(redactor.redact("Authorization: Basic a b\r\nX: y") == "Authorization: [redacted]\r\nX: y")
        #expect(redactor.redact(#"{"apiKey": "abc", "n": 1}"#) == #"{"apiKey": "[redacted]", "n": 1}"#)
        #expect(redactor.redact("/a: unknown key: found \"x\"") == "/a: unknown key: found \"x\"")
        #expect(redactor.redact("") == "")
    }

    @Test("a short secret is taken out only where it is a word, a longer one first")
    func shortSecrets() {
        let redactor = Redactor(secrets: ["1", "abcdef", "abcd"])
        #expect(redactor.redact("1 of 10, v1, (1)") == "[redacted] of 10, v1, ([redacted])")
        #expect(redactor.redact("xabcdefy abcdz") == "x[redacted]y [redacted]z")
    }

    @Test("problems and overrides do not tell secrets")
    func problemsAreRedacted() throws {
        let environment = ["TOKEN": "hushhush"]
        let found = problems(
            scenario(#""target": {"url": "ftp://h/sa?token=${TOKEN}"}"#, population: #""app": "${TOKEN}""#),
            environment: environment)
        #expect(found.count == 2)
        #expect(found.allSatisfy { !$0.text(file: "f").contains("hush") })
        let overrides = try document(
            scenario(), options: sets("target.url=http://h/sa?token=verysecret"), environment: environment
        ).overrides
        #expect(overrides.map(\.value) == [#""http://h/sa?token=[redacted]""#])
    }

    @Test("a variable's value is not substituted again")
    func once() throws {
        let document = try document(
            scenario(#""description": "a ${A} $B $""#), environment: ["A": "${B}", "B": "x"])
        #expect(document.description == "a ${B} $B $")
    }
}

@Suite("Secrets by their form")
struct SecretFormTests {
    private let redactor = Redactor(secrets: [])

    @Test(
        "are masked wherever they stand",
        arguments: [
            (#"/target/headers/Authorization="Bearer X1""#, "X1"),
            ("http://user:pwX2@127.0.0.1:1/sa", "pwX2"),
            ("see https://u@h/ and http://a:b3@c/", "b3"), ("Authorization: Basic eHg=", "eHg"),
            ("/sa?project=p&token=t4", "t4"),
        ])
    func masked(text: String, secret: String) {
        let redacted = redactor.redact(text)
        #expect(!redacted.contains(secret))
        #expect(redacted.contains(Redactor.mask))
    }

    @Test(
        "leave plain URLs and words alone",
        arguments: ["http://127.0.0.1:8106/sa?project=default", "a@b", "x://y"])
    func plain(text: String) { #expect(redactor.redact(text) == text) }

    @Test(
        "are known by any name that speaks of a credential",
        arguments: ["X-Custom-Token", "X-Auth", "X-Session", "Cookie", "apiKey", "X-Signature"])
    func names(name: String) { #expect(Redactor.isSecret(name: name)) }
}
