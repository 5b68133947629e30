import Testing
import Timebase

@testable import Wire

@Suite("JSON parsing")
struct JSONParserTests {
    static let event = #"""
        {"event":"$AppClick","time":1539847154123,"_flush_time":1539847160456,"price":9.5,"n":null,
         "wifi":true,"first":false,"tags":["a","b",[]],"lib":{"$lib":"iOS","path":"a\/b\u4e00"},"e":{}}
        """#

    @Test("reads every kind")
    func kinds() throws {
        try parsed(Self.event) { event in
            #expect(event.kind == .object && event.count == 10)
            #expect(event["event"]?.string == "$AppClick")
            #expect(event["time"]?.int64 == 1_539_847_154_123 && event["time"]?.kind == .integer)
            #expect(event["time"]?.uint64 == 1_539_847_154_123)
            #expect(event["price"]?.double == 9.5 && event["price"]?.int64 == nil)
            #expect(event["n"]?.isNull == true && event["n"]?.kind == .null)
            #expect(event["wifi"]?.bool == true && event["first"]?.bool == false)
            #expect(event["lib"]?["path"]?.string == "a/b一")
            #expect(event["missing"] == nil && event["event"]?["x"] == nil)
            #expect(event["tags"]?.count == 3 && event["e"]?.count == 0)
            #expect(
                event["event"]?.count == 0 && event["event"]?.double == nil && event["event"]?.bool == nil)
        }
    }

    @Test("walks elements and members in order, and none of what is neither")
    func walks() throws {
        try parsed(Self.event) { event in
            let names = event.members.map { String(decoding: $0.name, as: UTF8.self) }
            #expect(
                names == ["event", "time", "_flush_time", "price", "n", "wifi", "first", "tags", "lib", "e"])
            var kinds: [JSONValue.Kind] = []
            event["tags"]?.forEachElement { kinds.append($0.kind) }
            #expect(kinds == [.string, .string, .array])
            #expect(Array(event.elements).isEmpty)
            #expect(event["tags"].map { Array($0.members).isEmpty } == true)
            #expect(event["e"].map { Array($0.members).isEmpty } == true)
        }
    }

    @Test("passes on what a walk's body throws")
    func throwingWalk() throws {
        try parsed("[1,2]") { list in
            _ = #expect(throws: GzipError.corrupt) {
                try list.forEachElement { _ throws(GzipError) in throw GzipError.corrupt }
            }
        }
    }

    @Test("takes a scalar for a document")
    func scalars() throws {
        #expect(try parsed(" 12 ") { $0.int64 } == 12)
        #expect(try parsed("\"\"") { $0.string } == "")
        #expect(try parsed("-0.5e1") { $0.double } == -5)
        #expect(try parsed("null") { $0.isNull })
    }

    @Test(
        "reads integers to the ends of 64 bits",
        arguments: [
            ("9223372036854775807", Int64.max, UInt64(Int64.max)), ("-9223372036854775808", .min, nil),
            ("9223372036854775808", nil, 9_223_372_036_854_775_808), ("18446744073709551615", nil, .max),
        ] as [(String, Int64?, UInt64?)])
    func integers(text: String, signed: Int64?, unsigned: UInt64?) throws {
        try parsed(text) { value in
            #expect(value.int64 == signed && value.uint64 == unsigned)
            #expect(value.double == Double(text))
            #expect(written { value.appendJSON(to: &$0) } == text)
        }
    }

    @Test(
        "refuses numbers that fit nowhere",
        arguments: [
            "18446744073709551616", "-9223372036854775809", "123456789012345678901234567890", "1e400",
            "-1e999",
            "01", "1.", "-", "1e", "0x1", "[1.5.2]",
        ])
    func badNumbers(text: String) {
        #expect(parseError(Array(text.utf8)) == .invalidNumber)
    }

    @Test("gives the first of repeated names, walks them all")
    func repeatedNames() throws {
        try parsed(#"{"a":1,"b":2,"a":3}"#) { object in
            #expect(object["a"]?.int64 == 1 && object.count == 3)
            #expect(object.members.map { $0.value.int64 } == [1, 2, 3])
        }
    }

    @Test("holds the depth limit, to the level, also after a longer text")
    func depth() throws {
        let parser = JSONParser(depthLimit: 20)
        func nested(_ levels: Int, _ padding: Int = 0) -> [UInt8] {
            Array(
                (String(repeating: "[", count: levels) + "1" + String(repeating: " ", count: padding)
                    + String(repeating: "]", count: levels)).utf8)
        }
        #expect(parseError(nested(20), parser: parser) == nil)
        #expect(parseError(nested(21), parser: parser) == .tooDeep(limit: 20))
        #expect(parseError(nested(20, 50_000), parser: parser) == nil)
        #expect(parseError(nested(21, 90_000), parser: parser) == .tooDeep(limit: 20))
        #expect(parseError(nested(100_000), parser: parser) == .tooDeep(limit: 20))
        let objects = String(repeating: #"{"a":"#, count: 21) + "1" + String(repeating: "}", count: 21)
        #expect(parseError(Array(objects.utf8), parser: parser) == .tooDeep(limit: 20))
    }

    @Test("serialises the deepest document that may be parsed")
    func deepSerialisation() throws {
        let text = String(repeating: #"[{"a":"#, count: 500) + "1" + String(repeating: "}]", count: 500)
        let parser = JSONParser(depthLimit: 1000)
        let back = try withBytes(text) { bytes in
            try parser.withParsed(bytes) { value in written { value.appendJSON(to: &$0) } }
        }
        #expect(back == text)
    }

    @Test("holds the size limit, to the byte")
    func size() {
        let parser = JSONParser(byteLimit: 10)
        #expect(parseError(Array("[12345678]".utf8), parser: parser) == nil)
        #expect(parseError(Array("[123456789]".utf8), parser: parser) == .tooLarge(limit: 10))
    }

    @Test(
        "names what is wrong",
        arguments: [
            ("", .empty), (" \n", .empty), ("{", .malformed), ("[1,]", .malformed), ("{\"a\" 1}", .malformed),
            ("[1 2]", .malformed), ("tru", .malformed), ("[1]]", .malformed), ("{}{}", .malformed),
            ("'a'", .malformed), ("\"a", .invalidString), ("\"\\x\"", .invalidString),
            ("\"\n\"", .invalidString), ("\"\\u12\"", .invalidString), ("// c\n1", .malformed),
        ] as [(String, JSONError)])
    func errors(text: String, expected: JSONError) {
        #expect(parseError(Array(text.utf8)) == expected)
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xE4, 0xB8, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0xFF, 0xFE, 0x31, 0x00],
        ] as [[UInt8]])
    func invalidEncoding(bytes: [UInt8]) {
        #expect(parseError(bytes) == .invalidEncoding)
    }

    @Test(
        "refuses half a surrogate pair in escapes, takes a whole one",
        arguments: [
            #""\ud83d\ude00""#, #""\ud83d""#, #""\ud83dx""#, #""\ude00""#, #""a\uDE00b""#, #"["x","\udc00"]"#,
            #"{"\udc00":1}"#, #""\\ud800""#, #""\ud83d\u0041""#,
        ])
    func surrogates(text: String) throws {
        let isWhole = text == #""\ud83d\ude00""# || text == #""\\ud800""#
        let error = parseError(Array(text.utf8))
        if isWhole {
            #expect(error == nil)
        } else {
            #expect(error == .invalidString || error == .invalidEncoding)
        }
    }

    @Test("keeps zero bytes that come as escapes")
    func zeroBytes() throws {
        #expect(try parsed(#""a\u0000b""#) { $0.bytes.map { Array($0) } } == [97, 0, 98])
    }

    @Test("serves one text after another, good ones after bad ones")
    func reuse() throws {
        let parser = JSONParser()
        for round in 0..<50 {
            #expect(parseError(Array("[1,".utf8), parser: parser) == .malformed)
            let text = "[" + String(repeating: "\(round),", count: round * 40) + "\(round)]"
            let count = try withBytes(text) { try parser.withParsed($0) { $0.count } }
            #expect(count == round * 40 + 1)
        }
    }

    @Test("names an error for a cut after every byte")
    func truncations() {
        let bytes = Array(Self.event.utf8)
        let parser = JSONParser()
        for length in 0..<bytes.count {
            #expect(parseError(Array(bytes[..<length]), parser: parser) != nil)
        }
    }

    @Test("survives every flipped bit; what still parses is in normal form after one pass")
    func bitFlips() throws {
        let bytes = Array(Self.event.utf8)
        let parser = JSONParser()
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            if parseError(damaged, parser: parser) != nil { continue }
            let once = try damaged.withUnsafeBytes { bytes in
                try parser.withParsed(bytes) { value in written { value.appendJSON(to: &$0) } }
            }
            #expect(try normalized(once) == once)
        }
    }

    @Test("counts by walking where the tape's counter of 24 bits is full")
    func saturatedCount() {
        func word(_ letter: Unicode.Scalar, _ payload: UInt64) -> UInt64 {
            UInt64(letter.value) << 56 | payload
        }
        let list = [word("[", 0xFF_FFFF << 32 | 5), word("n", 0), word("l", 0), 7, word("]", 0)]
        let object = [word("{", 0xFF_FFFF << 32 | 4), word("\"", 0), word("t", 0), word("}", 0)]
        for (tape, count) in [(list, 2), (object, 1)] {
            let counted = tape.withUnsafeBufferPointer { words in
                [UInt8](repeating: 0, count: 8).withUnsafeBytes { strings in
                    words.baseAddress.flatMap { tape in
                        strings.baseAddress.map { JSONValue(tape: tape, strings: $0, index: 0).count }
                    }
                }
            }
            #expect(counted == count)
        }
    }
}

@Suite("JSON serialisation")
struct JSONSerializationTests {
    @Test("writes one normal form for all spellings of a value")
    func normalForm() throws {
        let expected = #"{"a":[1,-2,9.5,1e+20,"/中\n"],"b":{"c":null,"d":true}}"#
        #expect(try normalized(expected) == expected)
        let other = " { \"a\" : [1 , -2, 9.50, 1E20, \"\\/\\u4e2d\\u000A\"],\n\"b\":{\"c\":null,\"d\":true}}"
        #expect(try normalized(other) == expected)
    }

    @Test("leaves out a member at the first level alone, wherever it stands")
    func omission() throws {
        #expect(
            try normalized(#"{"x":1,"a":{"x":2},"b":[{"x":3}]}"#, omitting: "x")
                == #"{"a":{"x":2},"b":[{"x":3}]}"#)
        #expect(try normalized(#"{"a":1,"x":2}"#, omitting: "x") == #"{"a":1}"#)
        #expect(try normalized(#"{"x":2,"x":3}"#, omitting: "x") == "{}")
        #expect(try normalized(#"["x"]"#, omitting: "x") == #"["x"]"#)
    }

    @Test("gives one natural key to copies of an event that were sent at different times")
    func naturalKey() throws {
        func key(_ text: String) throws -> Hash128 {
            try withBytes(normalized(text, omitting: "_flush_time")) { Hash128($0) }
        }
        let first = try key(#"{"type":"item_set","item_id":"1","_flush_time":1}"#)
        #expect(try key(#"{"type":"item_set","item_id":"1","_flush_time":2222}"#) == first)
        #expect(try key(#"{"type":"item_set","item_id":"2","_flush_time":1}"#) != first)
    }

    @Test("keeps random documents as they are")
    func randomDocuments() throws {
        let seed: UInt64 = 404
        var stream = RandomStream(testSeed: seed)
        for _ in 0..<300 {
            let text = written { Self.appendRandom(&stream, depth: 0, to: &$0) }
            #expect(try normalized(text) == text, "seed \(seed)")
        }
    }

    /// Appends a random value in normal form.
    static func appendRandom(_ stream: inout RandomStream, depth: Int, to buffer: inout WireBuffer) {
        switch stream.below(depth > 5 ? 5 : 7) {
        case 0: buffer.append("null")
        case 1: buffer.appendJSON(stream.chance(0.5))
        case 2: buffer.appendDecimal(Int64(bitPattern: stream.next()) >> Int64(stream.below(64)))
        case 3: buffer.appendDecimal(Double(Int64(bitPattern: stream.next()) >> 30) / 1000 + 0.0005)
        case 4: buffer.appendJSONString(stream.text(upTo: 12))
        case 5:
            buffer.append(UInt8(ascii: "["))
            for _ in 0..<stream.below(5) {
                buffer.appendJSONComma()
                appendRandom(&stream, depth: depth + 1, to: &buffer)
            }
            buffer.append(UInt8(ascii: "]"))
        default:
            buffer.append(UInt8(ascii: "{"))
            for _ in 0..<stream.below(5) {
                buffer.appendJSONComma()
                buffer.appendJSONString(stream.text(upTo: 8))
                buffer.append(UInt8(ascii: ":"))
                appendRandom(&stream, depth: depth + 1, to: &buffer)
            }
            buffer.append(UInt8(ascii: "}"))
        }
    }
}
