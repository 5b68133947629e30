import Testing
import Wire

@testable import DeviceSDK
@testable import GrowingSDK

/// What a body says, read with the codecs of `Wire` alone.
struct GrowingBody {
    var stm: Int64
    var headers: [String: String] = [:]
    var plain: [UInt8] = []

    init(
        _ head: RequestHead, _ body: [UInt8],
        key: (UInt8) -> ([UInt8]) -> [UInt8] = { factor in { $0.map { $0 ^ factor } } }
    )
        throws
    {
        let query = head.path.split(separator: "?").last ?? ""
        stm =
            query.split(separator: "&").first { $0.hasPrefix("stm=") }.flatMap { Int64($0.dropFirst(4)) }
            ?? -1
        for line in head.headerLines.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[String(parts[0])] = String(parts[1].drop { $0 == " " })
        }
        let packed = headers["X-Crypt-Codec"] == nil ? body : key(UInt8(truncatingIfNeeded: stm))(body)
        var output = WireBuffer()
        switch headers["X-Compress-Codec"] {
        case "3": try packed.withUnsafeBytes { try LZ4Block.decode($0, limit: 1 << 24, into: &output) }
        case "2": try packed.withUnsafeBytes { try SnappyBlock.decode($0, limit: 1 << 24, into: &output) }
        default: output.append(contentsOf: packed)
        }
        plain = output.bytes
    }

    var text: String { String(decoding: plain, as: UTF8.self) }

    /// The fields of each message of `EventV3List`: texts, numbers as decimals, map entries as `key=value`.
    func messages() throws -> [[UInt32: [String]]] {
        try plain.withUnsafeBytes { bytes in
            var result: [[UInt32: [String]]] = []
            var list = ProtobufReader(bytes)
            while let element = try list.next() {
                #expect(element.number == 1)
                var event = try element.message()
                var fields: [UInt32: [String]] = [:]
                while let field = try event.next() {
                    let text: String
                    switch field.number {
                    case 24:
                        let entry = try field.mapEntry()
                        text = "\(entry.key)=\(entry.value)"
                    case 6, 8, 14, 15, 16, 17, 23, 29: text = String(try field.int64())
                    case 44, 45: text = String(try field.double())
                    default: text = try field.string()
                    }
                    fields[field.number, default: []].append(text)
                }
                result.append(fields)
            }
            return result
        }
    }

    /// The events of a JSON array, as flat members; those of `attributes` under `attributes.`.
    func events() throws -> [[String: String]] {
        try plain.withUnsafeBytes { bytes in
            try JSONParser(byteLimit: 1 << 24).withParsed(bytes) { root in
                root.elements.map { event in
                    var members: [String: String] = [:]
                    for (name, value) in event.members {
                        let name = String(decoding: name, as: UTF8.self)
                        if value.kind == .object {
                            for (key, inner) in value.members {
                                members["\(name).\(String(decoding: key, as: UTF8.self))"] =
                                    inner.string ?? "?"
                            }
                        } else {
                            members[name] =
                                value.string ?? value.int64.map { String($0) } ?? value.double.map {
                                    String($0)
                                } ?? "?"
                        }
                    }
                    return members
                }
            }
        }
    }
}
