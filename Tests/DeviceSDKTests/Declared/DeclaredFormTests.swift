import AppModel
import Testing
import Timebase
import Wire

@testable import DeclaredSDK
@testable import DeviceSDK

@Suite("Described SDKs, forms")
struct DeclaredFormTests {
    private static func sdk(_ request: String) -> String {
        """
        {"name": "form-ios", "upload": {"flushBulkSize": 1}, "identity": {"anonymous": "hex16"},
         "request": {"path": "/in", \(request)},
         "events": {"tag": "/bs_id", "common": {"n": "{{name}}"}, "business": {"name": "{{event}} & \\"more\\""}}}
        """
    }

    /// What one event of a device makes of a form, and the JSON in it.
    private static func upload(_ request: String) throws -> (text: String, json: String, head: RequestHead) {
        let world = try DeclaredWorld(sdk(request))
        world.startApp()
        world.track(1)
        let upload = try #require(world.uploads.first)
        let name = world.system.plan.app.events[Int(AppDescription.buy)].name
        return (upload.text, #"[{"n":"\#(name) & \"more\"","bs_id":"17-0"}]"#, upload.head)
    }

    private static func escaped(_ text: String) -> String {
        // By hand: what is neither a letter nor a digit nor one of -_.~ as %XX.
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            return character.isASCII
                && (character.isLetter || character.isNumber || "-_.~".contains(character))
                ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    @Test("fields come in their order, escaped; the body is one of them")
    func fields() throws {
        let (text, json, head) = try Self.upload(
            """
            "form": {"k ey": "{{apiKey}}/1", "data": "{{body}}", "at": "{{sent|ms}}", "who": "{{userId}}", "ip": 0}
            """)
        let sent = ManualWorld.start.milliseconds + 1000
        #expect(text == "k%20ey=key%2F1&data=\(Self.escaped(json))&at=\(sent)&who=&ip=0")
        #expect(head.headerLines == "Content-Type: application/x-www-form-urlencoded\r\n")
    }

    @Test("names in a query are escaped as values are, in uploads and in fetches")
    func query() throws {
        let query = #""query": {"a b": "{{apiKey}}/1", "x\r\nX-Y: z": "&", "plain-_.~": "é", "e[]": ""}"#
        let escaped = "?a%20b=key%2F1&x%0D%0AX-Y%3A%20z=%26&plain-_.~=%C3%A9&e%5B%5D="
        #expect(try Self.upload(query).head.path == "/in" + escaped)
        let world = try DeclaredWorld(
            #"""
            {"name": "query-ios", "config": [{"path": "/settings", \#(query)}],
             "events": {"tag": "/bs_id", "common": {"n": "{{name}}"}, "business": {"name": "{{event}}"}}}
            """#)
        world.startApp()
        #expect(world.fetches.map(\.head.path) == ["/settings" + escaped])
    }

    @Test("events in a text that holds JSON, and in a text within another")
    func texts() throws {
        let (text, json, _) = try Self.upload(
            #""body": {"c": "x", "events": {"jsonText": "{{events}}"}, "u": "{{userId?}}", "d": 1}"#)
        #expect(text == #"{"c":"x","events":\#(JSONNode.quoted(json)),"d":1}"#)
        let (nested, _, _) = try Self.upload(
            #""compress": "none", "body": [{"jsonText": {"a": {"base64url": {"e": "{{events}}", "z": 2}}}}]"#)
        let list = try JSONReader.readStrictly(Array(nested.utf8))
        let outer = try JSONReader.readStrictly(Array(try #require(list.elements?.first?.string).utf8))
        let coded = try #require(outer["a"]?.string)
        #expect(!coded.contains("=") && !coded.contains("+"))
        var inner = WireBuffer()
        #expect(Array(coded.utf8).withUnsafeBytes { Base64.decodeLeniently($0, into: &inner) })
        #expect(inner.text == #"{"e":\#(json),"z":2}"#)
    }

    @Test("base64 is the body's own")
    func base64() throws {
        let (text, json, _) = try Self.upload(#""form": {"data": "{{body|base64}}", "verbose": "1"}"#)
        var coded = WireBuffer()
        Base64.encode(WireBuffer(json), into: &coded)
        #expect(text == "data=\(Self.escaped(coded.text))&verbose=1")
    }

    @Test("the form of SensorsAnalytics around a described list is what its collector opens")
    func sensors() throws {
        let (text, json, _) = try Self.upload(
            """
            "escaping": "query",
            "form": {"crc": "{{body|gzip|base64|javaHash}}", "gzip": "1", "data_list": "{{body|gzip|base64}}"}
            """)
        var fields = text.split(separator: "&").map(String.init)
        #expect(fields.count == 3 && fields[1] == "gzip=1")
        let crc = try #require(Int32(fields.removeFirst().dropFirst("crc=".count)))
        let data = try #require(fields.last?.dropFirst("data_list=".count))
        #expect(data.allSatisfy { $0.isLetter || $0.isNumber || "%/?-_.~".contains($0) })
        var decoded = WireBuffer()
        for part in data.split(separator: "%", omittingEmptySubsequences: false).enumerated() {
            guard part.offset > 0 else {
                decoded.append(String(part.element))
                continue
            }
            decoded.append(try #require(UInt8(part.element.prefix(2), radix: 16)))
            decoded.append(String(part.element.dropFirst(2)))
        }
        #expect(JavaHash.hash(decoded) == crc)
        var packed = WireBuffer()
        #expect(decoded.withUnsafeBytes { Base64.decodeLeniently($0, into: &packed) })
        var plain = WireBuffer()
        try packed.withUnsafeBytes { try GzipDecoder().decompress($0, into: &plain) }
        #expect(plain.text == json)
    }

    @Test("a body tells the device's state of now, its events those of their captures")
    func state() throws {
        let world = try DeclaredWorld(
            #"""
            {"name": "state-ios", "upload": {"flushBulkSize": 2},
             "request": {"path": "/in", "body": {"who": "{{userId?}}", "v": "{{app.version}}", "list": "{{events}}"}},
             "events": {"tag": "/bs_id", "common": {"who": "{{userId?}}"}, "business": {"name": "{{event}}"}}}
            """#)
        world.startApp()
        world.track(1)
        world.act(2, .login(account: 1, signUp: false))
        world.track(3)
        let json = try world.json(0)
        let who = try #require(json["who"]?.string)
        #expect(who.hasPrefix("user-"))
        #expect(json["list"]?.elements?.map { $0["who"]?.string } == [nil, who])
    }
}
