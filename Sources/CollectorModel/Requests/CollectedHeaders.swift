import Wire

/// A header that tells a decoder how to read a body: one constant for each name, by which it is known.
package struct CollectedHeader: Hashable, Sendable {
    /// The name in lower case.
    package let name: StaticString
    /// Where the name lies.
    private let identity: Int

    init(_ name: StaticString) {
        self.name = name
        identity = Int(bitPattern: name.utf8Start)
    }

    package static let contentType = CollectedHeader("content-type")
    /// Of a request whose events are only to be checked.
    package static let dryRun = CollectedHeader("dry-run")

    /// Those that some system reads, each once, in the order of the systems.
    package static let all = CollectorSystem.allCases.reduce(into: [CollectedHeader]()) { all, system in
        for header in system.definition.headers where !all.contains(header) { all.append(header) }
        precondition(all.count <= CollectedHeaders.limit, "CollectedHeaders.limit is too low")
    }

    /// The header of a name in any case; `nil` where no system reads it.
    package init?(name: String) {
        guard let header = CollectedHeader.all.first(where: { $0.isNamed(name.utf8) }) else { return nil }
        self = header
    }

    /// Whether a name is this header's, whatever its case.
    fileprivate func isNamed(_ other: some Collection<UInt8>) -> Bool {
        guard other.count == name.utf8CodeUnitCount else { return false }
        return zip(other, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            .allSatisfy {
                ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0) == $1
            }
    }

    package static func == (left: CollectedHeader, right: CollectedHeader) -> Bool {
        left.identity == right.identity
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// A request's headers, as far as decoders ask for them: copied out one by one, or left in the lines as they
/// were sent, which are searched when somebody asks. Neither way allocates.
package struct CollectedHeaders: Sendable {
    /// How many headers all systems together may read.
    static let limit = 8

    /// By their indices in ``CollectedHeader/all``.
    private var values = InlineArray<8, String>(repeating: "")
    private var lines = ""

    /// No headers.
    package init() {}

    /// Headers in lines of `Name: value`, each ended by CR LF.
    package init(lines: String) { self.lines = lines }

    /// The value; empty where the header is absent. Of several the first counts.
    package subscript(header: CollectedHeader) -> String {
        get {
            guard lines.isEmpty else { return value(of: header) }
            return CollectedHeader.all.firstIndex(of: header).map { values[$0] } ?? ""
        }
        set {
            guard let index = CollectedHeader.all.firstIndex(of: header), values[index].isEmpty else {
                return
            }
            values[index] = newValue
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
