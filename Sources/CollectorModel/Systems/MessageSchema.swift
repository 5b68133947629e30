import Wire

/// A message of Protocol Buffers, as far as it becomes JSON.
struct MessageSchema: Sendable {
    /// What a field is, and how it is written.
    indirect enum Kind: Sendable {
        case text
        case int32
        case int64
        /// A number of 64 bits that means something as 0, too; written even where it is absent, as which 0 is sent.
        case time
        case double
        /// An enumeration's case, by its number; written even where it is absent, as the first.
        case choice([StaticString])
        /// `map<string, string>`.
        case map
        case message(MessageSchema)
    }

    struct Field: Sendable {
        var number: UInt32
        /// The member's name.
        var name: StaticString
        var kind: Kind

        init(_ number: UInt32, _ name: StaticString, _ kind: Kind = .text) {
            self.number = number
            self.name = name
            self.kind = kind
        }
    }

    let fields: [Field]
    /// Indices in ``fields`` by number; none for a number that the schema does not know.
    private let indices: [Int?]

    init(_ fields: [Field]) {
        self.fields = fields
        let highest = fields.map(\.number).max() ?? 0
        indices = (0...highest).map { number in fields.firstIndex { $0.number == number } }
    }

    private func index(of number: UInt32) -> Int? {
        number < indices.count ? indices[Int(number)] : nil
    }

    /// Appends a message's members, each after a comma where something is before it.
    ///
    /// Of a field that is there several times the last counts, of a map's entries the last of each key;
    /// unknown fields are skipped, and absent ones left out unless their kind says otherwise.
    ///
    /// - Throws: ``ProtobufError``; `output` then holds a part.
    /// - Complexity: O(message).
    func appendMembers(
        of message: ProtobufReader, to output: inout WireBuffer
    ) throws(ProtobufError) {
        var reader = message
        var last = [ProtobufField?](repeating: nil, count: fields.count)
        var entries: [(index: Int, field: ProtobufField)] = []
        while let field = try reader.next() {
            guard let index = index(of: field.number) else { continue }
            if case .map = fields[index].kind { entries.append((index, field)) } else { last[index] = field }
        }
        for (index, field) in fields.enumerated() {
            if case .map = field.kind {
                let own = entries.lazy.filter { $0.index == index }.map(\.field)
                try append(map: Array(own), named: field.name, to: &output)
            } else {
                try append(last[index], as: field, to: &output)
            }
        }
    }

    private func append(
        _ value: ProtobufField?, as field: Field, to output: inout WireBuffer
    ) throws(ProtobufError) {
        if case .choice(let names) = field.kind {
            output.appendMember(field.name)
            let number = try value?.int32() ?? 0
            let name = Int(number) < names.count && number >= 0 ? names[Int(number)] : nil
            output.append(UInt8(ascii: "\""))
            if let name { output.append(name) } else { output.appendDecimal(Int64(number)) }
            output.append(UInt8(ascii: "\""))
            return
        }
        if case .time = field.kind {
            output.appendMember(field.name)
            output.appendDecimal(try value?.int64() ?? 0)
            return
        }
        guard let value else { return }
        output.appendMember(field.name)
        switch field.kind {
        case .text: output.appendJSONString(utf8: try value.text())
        case .int32: output.appendDecimal(Int64(try value.int32()))
        case .int64: output.appendDecimal(try value.int64())
        case .double: output.appendDecimal(try value.double())
        case .message(let schema):
            output.append(UInt8(ascii: "{"))
            try schema.appendMembers(of: value.message(), to: &output)
            output.append(UInt8(ascii: "}"))
        case .choice, .time, .map: break
        }
    }

    /// Appends a map as an object, in the order of its entries.
    private func append(
        map fields: [ProtobufField], named name: StaticString, to output: inout WireBuffer
    ) throws(ProtobufError) {
        guard !fields.isEmpty else { return }
        var entries: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
        var seen: Set<Hash128> = []
        for field in fields.reversed() {
            let entry = try field.textEntry()
            if seen.insert(Hash128(entry.key)).inserted { entries.append(entry) }
        }
        output.appendMember(name)
        output.append(UInt8(ascii: "{"))
        for entry in entries.reversed() {
            output.appendJSONComma()
            output.appendJSONString(utf8: entry.key)
            output.append(UInt8(ascii: ":"))
            output.appendJSONString(utf8: entry.value)
        }
        output.append(UInt8(ascii: "}"))
    }
}

extension ProtobufField {
    /// A string's UTF-8 in place.
    func text() throws(ProtobufError) -> UnsafeRawBufferPointer {
        let bytes = try bytes()
        guard bytes.isUTF8 else { throw .invalidUTF8(field: number, offset: offset) }
        return bytes
    }

    /// An entry of a map<string, string>, in place; a key or value that is absent is empty.
    func textEntry() throws(ProtobufError) -> (
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        var entry = (key: empty, value: empty)
        var reader = try message()
        while let field = try reader.next() {
            switch field.number {
            case 1: entry.key = try field.text()
            case 2: entry.value = try field.text()
            default: continue
            }
        }
        return entry
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are valid UTF-8.
    var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}

extension WireBuffer {
    /// Appends a member's name with what goes before and after it. The name needs no escapes.
    mutating func appendMember(_ name: StaticString) {
        appendJSONComma()
        append(UInt8(ascii: "\""))
        append(name)
        append("\":")
    }
}
