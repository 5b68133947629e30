import Timebase
import Wire

/// The codecs of the wire, each way and back.
///
/// What was encoded decodes to itself; what decodes, and whose encoding is the only one, encodes to itself.
final class WireTarget: FuzzTarget {
    static let name = "wire"
    static let dictionary = ["H4sIAAAAAAAA", "\u{1F}", "%2B", "%25", "+", "==", "=", "_-", "\\ud83d\\ude00"]

    /// The most that the decoder under test gives; bombs stop there.
    private static let inflatedLimit = 1 << 20
    private let decoder = GzipDecoder(limit: WireTarget.inflatedLimit)
    private let zlibDecoder = ZlibDecoder(limit: WireTarget.inflatedLimit)
    private let zlibEncoder = ZlibEncoder()
    private let encoders = [1, 6, 9].map { GzipEncoder(level: $0) }
    private let noting = GzipEncoder(batches: .small, from: 0)
    private let parser = JSONParser()

    init() {}

    func check(_ input: [UInt8]) throws {
        try checkGzip(input)
        try checkZlib(input)
        try checkNotes(input)
        try checkBase64(input)
        try checkPercent(input)
        try checkForm(input)
        try checkJSON(input)
    }

    private func checkGzip(_ input: [UInt8]) throws {
        for encoder in encoders {
            var packed = WireBuffer()
            input.withUnsafeBytes { encoder.compress($0, into: &packed) }
            var unpacked = WireBuffer()
            do throws(GzipError) { try decoder.decompress(packed, into: &unpacked) } catch {
                throw FuzzFinding("what level \(encoder.level) packed cannot be unpacked: \(error)")
            }
            try demand(unpacked.bytes == input, "level \(encoder.level) changes the content")
        }
        var output = WireBuffer("before")
        do {
            try input.withUnsafeBytes { try decoder.decompress($0, into: &output) }
            try demand(output.count - 6 <= WireTarget.inflatedLimit, "the limit of unpacking is not kept")
        } catch let error as GzipError {
            try demand(output.text == "before", "a failed unpacking (\(error)) leaves something behind")
        }
    }

    private func checkZlib(_ input: [UInt8]) throws {
        var output = WireBuffer("before")
        if (try? input.withUnsafeBytes { try zlibDecoder.decompress($0, into: &output) }) == nil {
            try demand(output.text == "before", "a failed unpacking leaves something behind")
        }
        try demand(output.count - 6 <= WireTarget.inflatedLimit, "the limit of unpacking is not kept")
        guard !input.isEmpty else { return }
        var (content, packed, unpacked) = (WireBuffer(), WireBuffer(), WireBuffer())
        content.append(contentsOf: input)
        zlibEncoder.compress(content, into: &packed)
        let isTaken = (try? packed.withUnsafeBytes { try zlibDecoder.decompress($0, into: &unpacked) }) != nil
        try demand(isTaken && unpacked == content, "what zlib's wrapping packed is not unpacked to itself")
    }

    /// Notes of what repeats are hints: whatever they say, the content comes back. The input's first half tells
    /// where they are and what is said to stand there; all of it is what is packed.
    private func checkNotes(_ input: [UInt8]) throws {
        var content = WireBuffer()
        content.append(contentsOf: input)
        let log = RepeatLog()
        var occurrences = [LastOccurrence](repeating: LastOccurrence(), count: 8)
        log.removeAll()
        content.withUnsafeBytes { bytes in
            guard let origin = bytes.baseAddress else { return }
            occurrences.withUnsafeMutableBufferPointer { occurrences in
                var position = 0
                for byte in input.prefix(input.count / 2) {
                    let state = log.open(origin: origin)
                    let occurrence = byte & 64 == 0 ? occurrences.baseAddress.map { $0 + Int(byte & 7) } : nil
                    state.pointee.note(origin + position, occurrence, isChance: byte & 128 != 0)
                    position += Int(byte >> 3 & 7) - 1
                    position = min(max(0, position), input.count)
                }
            }
        }
        var packed = WireBuffer()
        noting.compress(content, repeating: log, into: &packed)
        var unpacked = WireBuffer()
        do throws(GzipError) { try decoder.decompress(packed, into: &unpacked) } catch {
            throw FuzzFinding("what was packed by notes cannot be unpacked: \(error)")
        }
        try demand(unpacked == content, "packing by notes changes the content")
    }

    private func checkBase64(_ input: [UInt8]) throws {
        var encoded = WireBuffer()
        input.withUnsafeBytes { Base64.encode($0, into: &encoded) }
        var decoded = WireBuffer()
        try demand(encoded.withUnsafeBytes { Base64.decode($0, into: &decoded) }, "own base64 is refused")
        try demand(decoded.bytes == input, "base64 changes the content")
        var foreign = WireBuffer()
        guard input.withUnsafeBytes({ Base64.decode($0, into: &foreign) }) else {
            return try demand(foreign.count == 0, "refused base64 leaves something behind")
        }
        var again = WireBuffer()
        Base64.encode(foreign, into: &again)
        try demand(again.bytes == input, "two texts of base64 for the same bytes are taken")
    }

    private func checkPercent(_ input: [UInt8]) throws {
        for (name, encoding) in [
            ("legacy", PercentEncoding.sensorsLegacy), ("modern", PercentEncoding.sensorsModern),
        ] {
            var encoded = WireBuffer()
            input.withUnsafeBytes { encoding.encode($0, into: &encoded) }
            var decoded = WireBuffer()
            let malformed = encoded.withUnsafeBytes { PercentEncoding.decodeForm($0, into: &decoded) }
            try demand(malformed == nil, "\(name) percent-encoding is malformed at \(malformed ?? 0)")
            try demand(decoded.bytes == input, "\(name) percent-encoding changes the content")
            var base64 = WireBuffer()
            input.withUnsafeBytes { Base64.encode($0, into: &base64) }
            var expected = WireBuffer()
            encoding.encode(base64, into: &expected)
            var actual = WireBuffer()
            let hash = input.withUnsafeBytes { encoding.encodeBase64(of: $0, into: &actual) }
            try demand(
                actual == expected && hash == JavaHash.hash(base64),
                "\(name) percent-encoding of base64 in one pass is not that in two")
        }
    }

    /// The fields, joined again, are the body without its empty parts.
    private func checkForm(_ input: [UInt8]) throws {
        let parts = input.split(separator: UInt8(ascii: "&")).map(Array.init)
        try input.withUnsafeBytes { bytes in
            var form = FormDecoder(bytes)
            var count = 0
            do {
                while let field = try form.next() {
                    guard count < parts.count else {
                        throw FuzzFinding("a form has fields that the body has not")
                    }
                    let name = Array(field.rawName)
                    let value = Array(field.rawValue)
                    let hasEquals = name.count < parts[count].count
                    let joined = name + (hasEquals ? [UInt8(ascii: "=")] + value : [])
                    guard joined == parts[count] else {
                        throw FuzzFinding("field \(count) of a form is not its part of the body")
                    }
                    var decoded = WireBuffer()
                    try? field.appendValue(to: &decoded)
                    count += 1
                }
                try demand(count == parts.count, "a form of \(parts.count) parts has \(count) fields")
            } catch let error as FormError {
                try demand(error == .tooManyFields(limit: form.fieldLimit), "a form fails with \(error)")
                try demand(parts.count > form.fieldLimit, "\(parts.count) fields are too many")
            }
        }
    }

    /// What the parser takes, written and parsed again, is the same text.
    private func checkJSON(_ input: [UInt8]) throws {
        guard let first = written(input) else { return }
        guard let second = written(first) else { throw FuzzFinding("written JSON is not taken again") }
        try demand(first == second, "JSON changes each time that it is written")
    }

    private func written(_ text: [UInt8]) -> [UInt8]? {
        try? text.withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { value in
                var output = WireBuffer()
                value.appendJSON(to: &output)
                return output.bytes
            }
        }
    }
}
