import Testing
import Timebase

@testable import Wire

@Suite("Base64")
struct Base64Tests {
    static func encode(_ bytes: [UInt8]) -> String {
        written { buffer in bytes.withUnsafeBytes { Base64.encode($0, into: &buffer) } }
    }

    @Test(
        "agrees with RFC 4648, section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Self.encode(Array(plain.utf8)) == encoded)
        #expect(withBytes(encoded) { Base64.decode($0) } == Array(plain.utf8))
    }

    @Test("writes and reads each of the 64 characters")
    func alphabet() {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        let bytes = withBytes(text) { Base64.decode($0) } ?? []
        #expect(bytes.count == 48)
        #expect(Self.encode(bytes) == text)
    }

    @Test("reads nothing behind the input and writes nothing behind the text")
    func bounds() {
        var stream = RandomStream(testSeed: 64)
        for size in 0..<40 {
            // The input ends where its memory does; a sanitizer would tell.
            let bytes = stream.bytes(size)
            let room = Base64.encodedCount(of: size) + 8
            var buffer = WireBuffer(capacity: room)
            buffer.append(upTo: room) { memory in
                memory.initializeMemory(as: UInt8.self, repeating: 0xEE, count: room)
                return 0
            }
            bytes.withUnsafeBytes { Base64.encode($0, into: &buffer) }
            buffer.append(upTo: 8) { _ in 8 }
            #expect(buffer.bytes.suffix(8).allSatisfy { $0 == 0xEE }, "size \(size)")
        }
    }

    @Test("decodes what it encodes")
    func roundTrip() {
        let seed: UInt64 = 4648
        var stream = RandomStream(testSeed: seed)
        for size in 0..<300 {
            let bytes = stream.bytes(size)
            let text = Self.encode(bytes)
            #expect(text.utf8.count == Base64.encodedCount(of: size))
            #expect(withBytes(text) { Base64.decode($0) } == bytes, "seed \(seed)")
        }
    }

    @Test(
        "refuses all that is not exact",
        arguments: [
            "Z", "Zg", "Zg=", "Zm9vY", "====", "=Zg=", "Z===", "Zg==Zg==", "Zm9v=", "Zm 9v", "Zm9v\n", "Zm-_",
            "Zh==", "Zm9=", "Zm8\u{0}", "Zm9é", "Zm9vZm=v",
        ])
    func refuses(text: String) {
        var output = WireBuffer("kept")
        let isValid = withBytes(text) { Base64.decode($0, into: &output) }
        #expect(!isValid && output.text == "kept")
    }

    @Test("refuses every byte outside of the alphabet at every place of a group")
    func foreignBytes() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for byte in UInt8.min...UInt8.max where !alphabet.contains(byte) {
            for index in 0..<4 {
                var text = Array("AAAABBBB".utf8)
                text[index] = byte
                #expect(text.withUnsafeBytes { Base64.decode($0) } == nil)
            }
        }
    }
}
