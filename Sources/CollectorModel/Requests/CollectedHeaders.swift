import Wire

/// The headers that tell a decoder how to read a body.
package enum CollectedHeader: CaseIterable, Sendable {
    case contentType
    /// GrowingIO: how the body is compressed.
    case compressCodec
    /// GrowingIO: how the body is encrypted.
    case cryptCodec
    /// TrackingSDK: whose events these are.
    case apiKey
    /// Codeless: the batch's name.
    case eventsID

    /// The name in lower case.
    var name: StaticString {
        switch self {
        case .contentType: "content-type"
        case .compressCodec: "x-compress-codec"
        case .cryptCodec: "x-crypt-codec"
        case .apiKey: "x-api-key"
        case .eventsID: "x-events-id"
        }
    }

    /// The header of a name in any case; `nil` for all others.
    package init?(name: String) {
        let length = name.utf8.count
        for header in CollectedHeader.allCases
        where header.name.utf8CodeUnitCount == length && header.isNamed(name.utf8) {
            self = header
            return
        }
        return nil
    }

    /// Whether a name is this header's, whatever its case.
    fileprivate func isNamed(_ other: some Collection<UInt8>) -> Bool {
        guard other.count == name.utf8CodeUnitCount else { return false }
        return zip(other, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            .allSatisfy {
                ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0) == $1
            }
    }
}

/// A request's headers, as far as decoders ask for them: copied out one by one, or left in the lines as they
/// were sent, which are searched when somebody asks. Neither way allocates.
package struct CollectedHeaders: Sendable {
    private var contentType = ""
    private var compressCodec = ""
    private var cryptCodec = ""
    private var apiKey = ""
    private var eventsID = ""
    private var lines = ""

    /// No headers.
    package init() {}

    /// Headers in lines of `Name: value`, each ended by CR LF.
    package init(lines: String) { self.lines = lines }

    /// The value; empty where the header is absent. Of several the first counts.
    package subscript(header: CollectedHeader) -> String {
        get {
            guard lines.isEmpty else { return value(of: header) }
            return switch header {
            case .contentType: contentType
            case .compressCodec: compressCodec
            case .cryptCodec: cryptCodec
            case .apiKey: apiKey
            case .eventsID: eventsID
            }
        }
        set {
            guard self[header].isEmpty else { return }
            switch header {
            case .contentType: contentType = newValue
            case .compressCodec: compressCodec = newValue
            case .cryptCodec: cryptCodec = newValue
            case .apiKey: apiKey = newValue
            case .eventsID: eventsID = newValue
            }
        }
    }

    /// Searches the lines. O(their bytes).
    private func value(of header: CollectedHeader) -> String {
        var rest = lines.utf8[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest[line.endIndex...].dropFirst()
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), header.isNamed(line[..<colon]) else {
                continue
            }
            let value = line[colon...].dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            return String(Substring(value.last == 0x0D ? value.dropLast() : value))
        }
        return ""
    }
}
