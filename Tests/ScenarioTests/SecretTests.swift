import DeviceSDK
import Testing
import Wire

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

    @Test("a population that is called like one is warned of")
    func ownNames() throws {
        for (key, isWarned) in [("ios", true), ("ios-key", false)] {
            let text = scenario(#""target": {"url": "http://h/sa", "apiKey": "\#(key)"}"#)
            let warned = try document(text).warnings.contains { $0.pointer == "/populations/0/name" }
            #expect(warned == isWarned, "apiKey \(key)")
        }
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

    @Test(
        "a secret is taken out however a target that echoes it has escaped it",
        arguments: [
            #"Ab/d+f="ü\😀&"#, #"Ab\/d+f=\"\u00fc\\\ud83d\ude00&"#,
            #"Ab/d\u002Bf=\u0022\u00FC\\\uD83D\uDE00\u0026"#,
            #"\u0041\u0062\u002f\u0064\u002b\u0066\u003d\u0022\u00fc\u005c\ud83d\ude00\u0026"#,
            "Ab%2Fd%2Bf%3D%22%C3%BC%5C%F0%9F%98%80%26", "Ab%2fd%2bf%3d%22%c3%bc%5c%f0%9f%98%80%26",
            #"Ab&#x2F;d&#43;f=&quot;&#252;\&#x1F600;&amp;"#,
        ])
    func spellings(spelling: String) {
        let redactor = Redactor(secrets: [#"Ab/d+f="ü\😀&"#])
        #expect(redactor.redactSecrets("<\(spelling)>") == "<[redacted]>")
        #expect(redactor.redactSecrets("<\(spelling.dropFirst())>") == "<\(spelling.dropFirst())>")
    }

    @Test("secrets that look like escapes themselves are found as they are and escaped")
    func escapesInSecrets() {
        let redactor = Redactor(secrets: [#"a%25\nb c"#])
        for spelling in [#"a%25\nb c"#, #"a%25\\nb c"#, "a%2525%5Cnb+c", "a%2525%5cnb%20c"] {
            #expect(redactor.redactSecrets("(\(spelling))") == "([redacted])")
        }
        #expect(redactor.redactSecrets("a%\nb c") == "a%\nb c")
    }

    @Test(
        "of a secret that a sample's cut left only the beginning of, that is taken out",
        arguments: [
            "hunt", "hunter2-very-lon", "hunter2-very-long/", "hunter2-very-long\\",
            #"hunter2-very-long\u00"#,
            "hunter2%2", "hunter2-very-long%2F", "hunter2-very-long&#x2", "hunter2-very-long/\u{FFFD}",
            "hunter2-very-long/%C3", #"hunter2-very-long/\u00f"#,
        ])
    func cut(beginning: String) {
        let redactor = Redactor(secrets: ["hunter2-very-long/ü", "one", "hunt-"])
        #expect(redactor.redact(sample: "told: \(beginning)") == "told: [redacted]")
        #expect(redactor.redact(sample: "told: \(beginning) x") == "told: \(beginning) x")
        #expect(redactor.redact("told: \(beginning)") == "told: \(beginning)")
        #expect(
            redactor.redact(headers: "X: \(beginning)\nY: \(beginning)") == "X: \(beginning)\nY: [redacted]")
        #expect(redactor.redact(headers: "X: \(beginning)\n") == "X: \(beginning)\n")
    }

    @Test("a sample's end that is too short to be a secret's beginning stays, and whole secrets go as ever")
    func hardlyCut() {
        let redactor = Redactor(secrets: ["hunter2-hunter2", "swordfish", "on"])
        for text in ["", "hun", "a hun", "o", "no", "hunter2-\\n", "hunter3", "hunt the"] {
            #expect(redactor.redact(sample: text) == text)
        }
        #expect(redactor.redact(sample: "swordfish hunter2-hunter2") == "[redacted] [redacted]")
        #expect(redactor.redact(sample: "on hunter2-hunter2hunter") == "[redacted] [redacted][redacted]")
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

    @Test("a scenario that is kept names the variable where there is nothing else, and has no secret")
    func kept() throws {
        let text = scenario(
            #""target": {"url": "http://h/sa", "headers": {"X-Api-Key": "${KEY}", "Authorization": "Bearer ${KEY}"}}"#,
            population: #""sdk": {"cookie": "plain"}"#)
        let written = try document(text, environment: ["KEY": "s3cr3t"]).written.compactText
        #expect(written.contains(#""X-Api-Key": "${KEY}", "Authorization": "[redacted]""#))
        #expect(written.contains(#""cookie": "[redacted]""#) && !written.contains("s3cr3t"))
    }

    @Test("a population with a secret in its name is told, and whether a kept scenario can be played again")
    func populationNames() throws {
        let written = scenario(#""target": {"url": "http://h/sa", "apiKey": "hushhush"}"#)
        let secret = try document(written.replacing(#""ios""#, with: #""hushhush""#)).warnings
        #expect(secret.map(\.pointer) == ["/populations/0/name"])
        #expect(secret.first?.text.contains("neither explain nor merge can play it again") == true)
        let named = written.replacing(#""ios""#, with: #""${POP}-phones""#)
        let variable = try document(named, environment: ["POP": "acme"]).warnings
        #expect(variable.map(\.pointer) == ["/populations/0/name"])
        #expect(variable.first?.text.hasSuffix("only where ${POP}-phones means the same") == true)
    }

    @Test("a scenario tells the values of its variables apart, and what they are to nobody")
    func sums() throws {
        let text = scenario(#""description": "${A} ${B} ${A}""#)
        let one = try document(text, environment: ["A": "first", "B": "second", "C": "x"])
        let other = try document(text, environment: ["A": "first", "B": "third"])
        #expect(one.variables.keys.sorted() == ["A", "B"])
        #expect(one.variables["A"] == other.variables["A"] && one.variables["B"] != other.variables["B"])
        #expect(one.sum != other.sum && one.written.compactText == other.written.compactText)
        #expect(one.variables.values.allSatisfy { $0.count == 4 })
        #expect(ScenarioDocument.sum(ofVariable: "A", value: "first") == one.variables["A"])
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
        "are known by their common names, in URLs, headers, forms and JSON",
        arguments: [
            "sig", "signature", "sign", "key", "apikey", "api_key", "api-key", "apiKey", "X-Api-Key",
            "access_key",
            "accessKey", "AWSAccessKeyId", "secret", "client_secret", "secretKey", "token", "access_token",
            "refreshToken", "id_token", "auth", "authToken", "X-Auth", "password", "passwd", "pwd",
            "userPassword",
            "passphrase", "X-Amz-Signature", "X-Amz-Credential", "X-Goog-Signature", "Authorization",
            "Proxy-Authorization", "Cookie", "jwt", "hmac", "subscription-key", "sharedAccessSignature",
            "write_key", "appSecret", "password_confirmation", "X-Request-Sign",
        ])
    func commonNames(name: String) {
        let secret = "s3cr+t/Value=="
        let plain = "PlainValue"
        let url = redactor.redact("https://h/p?project=\(plain)&\(name)=\(secret)&page=\(plain)#a")
        #expect(url == "https://h/p?project=\(plain)&\(name)=[redacted]&page=\(plain)#a")
        let form = redactor.redact("\(name)=\(secret)&gzip=1")
        #expect(form == "\(name)=[redacted]&gzip=1")
        #expect(redactor.redact(header: "\(name): \(secret), \"more\" of it") == "\(name): [redacted]")
        // By itself a key of an object may be anything.
        guard name != "key" else { return }
        let json = redactor.redact(#"{"\#(name)": "\#(secret)", "n": "\#(plain)"}"#)
        #expect(json == #"{"\#(name)": "[redacted]", "n": "\#(plain)"}"#)
    }

    @Test(
        "are not taken for harmless names that look like them",
        arguments: [
            "keyboard", "monkey", "keyword", "sort_key", "primaryKey", "foreign-key", "partition_key",
            "cacheKey",
            "author", "authority", "design", "assigned", "signal", "signup", "is_sign_up", "tokenizer",
            "token_type",
            "token_count", "secretary", "signature_method", "passenger", "passes", "compass", "session_count",
            "sessionId", "$is_first_day", "event", "distinct_id", "project", "lib", "cookieEnabled",
            "design_system",
        ])
    func harmlessNames(name: String) {
        for text in [
            "https://h/p?\(name)=value1&x=2", "\(name)=value1", #"{"\#(name)": "value1"}"#, "\(name): value1",
        ] {
            #expect(redactor.redact(text) == text)
        }
        #expect(redactor.redact(header: "\(name): value1") == "\(name): value1")
    }

    @Test("keep the form of what they stand in")
    func form() {
        let cases = [
            (#"{"token":"a\"b\\","n":1}"#, #"{"token":"[redacted]","n":1}"#),
            (#"{"token":12.5,"n":1}"#, #"{"token":"[redacted]","n":1}"#),
            (
                #"{"token":null,"auth":{"user":"u","password":"p"}}"#,
                #"{"token":null,"auth":{"user":"u","password":"[redacted]"}}"#
            ),
            (
                #"{"body":"{\"token\":\"abc\",\"n\":\"x\"}"}"#,
                #"{"body":"{\"token\":\"[redacted]\",\"n\":\"x\"}"}"#
            ),
            ("next=%2Fa%3Fsig%3Dabc%252F%26n%3D1&n=2", "next=%2Fa%3Fsig%3D[redacted]%26n%3D1&n=2"),
            ("password=p%26q%20r&n=2", "password=[redacted]&n=2"),
            ("credentials[token]=abc&n=2", "credentials[token]=[redacted]&n=2"),
            ("-H 'Cookie: a=\"b\"; c=d' -H 'X: y'", "-H 'Cookie: [redacted]' -H 'X: y'"),
            ("Cookie: a=\"b\"; c=d\r\nX: y", "Cookie: [redacted]\r\nX: y"),
            (#"{"password":"cut in the mid"#, #"{"password":"[redacted]"#),
            ("(see /sa?token=abc), then", "(see /sa?token=[redacted]), then"),
        ]
        for (text, told) in cases { #expect(redactor.redact(text) == told) }
    }

    @Test(
        "go with all lines that a field is folded into",
        arguments: [
            ("Set-Cookie:\r\n sid=S1\r\nX: y", "Set-Cookie:[redacted]\r\nX: y"),
            ("Set-Cookie: sid=S1;\r\n path=S2\r\n\tS3\r\n\r\nX", "Set-Cookie: [redacted]\r\n\r\nX"),
            ("X-Auth-Token:\n\tS1\nX: y", "X-Auth-Token:[redacted]\nX: y"),
            ("X-Auth-Token: \"S1\"\n S2 S3", "X-Auth-Token: [redacted]"),
            ("X-Auth-Token: S1\r\n  ", "X-Auth-Token: [redacted]"),
            ("Authorization:\r\n Bearer S1\r\n", "Authorization:[redacted]\r\n"),
            ("X-Auth-Token:\r\nX: y", "X-Auth-Token:\r\nX: y"),
            ("X-Y:\r\n Z", "X-Y:\r\n Z"),
            ("it knows no token:\n  at all", "it knows no token:\n  at all"),
            ("{\"token\":\r\n\r\n  \"S1\", \"n\":\n1}", "{\"token\":\r\n\r\n  \"[redacted]\", \"n\":\n1}"),
        ])
    func folded(text: String, told: String) {
        let before = "HTTP/1.1: a line without a colon among the fields: HTTP/1.1 503 Busy\r\n"
        #expect(redactor.redact(text) == told)
        #expect(redactor.redact(before + text) == before + told)
    }

    @Test("headers go line by line, and only whole")
    func headers() {
        let lines =
            "Set-Cookie: a=\"b\"; Path=/\r\nLocation: /x?sig=abc&n=1\r\nX-Acme-Key: k\r\nX-Cache-Key: c\r\n"
        #expect(
            redactor.redact(headers: lines)
                == "Set-Cookie: [redacted]\r\nLocation: /x?sig=[redacted]&n=1\r\nX-Acme-Key: [redacted]\r\n"
                + "X-Cache-Key: c\r\n")
        let harmless = "Access-Control-Allow-Credentials: true\r\nWWW-Authenticate: Basic realm=\"x\""
        #expect(redactor.redact(headers: harmless) == harmless)
    }

    @Test(
        "leave plain URLs and words alone",
        arguments: ["http://127.0.0.1:8106/sa?project=default", "a@b", "x://y"])
    func plain(text: String) { #expect(redactor.redact(text) == text) }

    @Test(
        "are known by any name that speaks of a credential",
        arguments: ["X-Custom-Token", "X-Auth", "X-Session", "Cookie", "apiKey", "X-Signature"])
    func names(name: String) { #expect(SecretNames.contain(name, in: .header)) }
}
