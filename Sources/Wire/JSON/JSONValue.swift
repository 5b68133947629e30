/// One value of a parsed text: a position on its parser's tape.
///
/// It owns nothing and is valid as long as the document is: until the parser's next parse or end.
/// The tape's format is simdjson's (doc/tape.md of the project): a type letter in a word's top 8
/// bits and a payload below; containers know their end, so skipping one is O(1).
package struct JSONValue {
    @usableFromInline let tape: UnsafePointer<UInt64>
    @usableFromInline let strings: UnsafeRawPointer
    @usableFromInline let index: Int

    /// What a value can be. Integers are told from other numbers by their text: no point and no
    /// exponent; above 2^63 they are `unsigned`.
    package enum Kind: Sendable {
        case object, array, string, integer, unsigned, double, bool, null
    }

    @inlinable
    init(tape: UnsafePointer<UInt64>, strings: UnsafeRawPointer, index: Int) {
        self.tape = tape
        self.strings = strings
        self.index = index
    }

    /// The type letter of this value's word.
    @inlinable
    var letter: UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }

    /// The payload of this value's word.
    @inlinable
    var payload: UInt64 { tape[index] & 0x00FF_FFFF_FFFF_FFFF }

    /// The index of the word after this value.
    @inlinable
    var end: Int {
        switch letter {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(payload & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index &+ 2
        default: index &+ 1
        }
    }

    /// What this value is.
    @inlinable
    package var kind: Kind {
        switch letter {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "l"): .integer
        case UInt8(ascii: "u"): .unsigned
        case UInt8(ascii: "d"): .double
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        default: .null
        }
    }

    /// A string's UTF-8 in place, escapes resolved; `nil` for other kinds.
    @inlinable
    package var bytes: UnsafeRawBufferPointer? {
        guard letter == UInt8(ascii: "\"") else { return nil }
        let entry = strings + Int(payload)
        return UnsafeRawBufferPointer(
            start: entry + 4, count: Int(entry.loadUnaligned(as: UInt32.self)))
    }

    /// A string's copy; `nil` for other kinds.
    package var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// An integer within Int64; `nil` for other kinds and for doubles, even whole ones.
    @inlinable
    package var int64: Int64? {
        letter == UInt8(ascii: "l") ? Int64(bitPattern: tape[index &+ 1]) : nil
    }

    /// An integer from 0; `nil` for other kinds and for doubles, even whole ones.
    @inlinable
    package var uint64: UInt64? {
        switch letter {
        case UInt8(ascii: "u"): tape[index &+ 1]
        case UInt8(ascii: "l"): UInt64(exactly: Int64(bitPattern: tape[index &+ 1]))
        default: nil
        }
    }

    /// Any number as a double, the nearest one for a large integer; `nil` for other kinds.
    @inlinable
    package var double: Double? {
        switch letter {
        case UInt8(ascii: "d"): Double(bitPattern: tape[index &+ 1])
        case UInt8(ascii: "l"): Double(Int64(bitPattern: tape[index &+ 1]))
        case UInt8(ascii: "u"): Double(tape[index &+ 1])
        default: nil
        }
    }

    /// A truth value; `nil` for other kinds.
    @inlinable
    package var bool: Bool? {
        switch letter {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// Whether this is `null`.
    @inlinable
    package var isNull: Bool { letter == UInt8(ascii: "n") }

    /// The number of an array's elements or an object's members; 0 for other kinds.
    ///
    /// - Complexity: O(1) below 2^24, where the tape stops counting; else O(`count`).
    package var count: Int {
        guard kind == .object || kind == .array else { return 0 }
        let counted = Int(payload >> 32)
        if counted < 0xFF_FFFF { return counted }
        var values = 0
        var position = index + 1
        while position < end - 1 {
            position = JSONValue(tape: tape, strings: strings, index: position).end
            values += 1
        }
        return kind == .object ? values / 2 : values
    }

    /// The value of the first member with this name; `nil` without one, and for other kinds.
    ///
    /// - Complexity: O(members before it): each is one comparison and one skip.
    @inlinable
    package subscript(name: StaticString) -> JSONValue? {
        for member in members where member.name.equals(name) { return member.value }
        return nil
    }

    /// The elements of an array in order; none for other kinds.
    @inlinable
    package var elements: JSONElements {
        letter == UInt8(ascii: "[")
            ? JSONElements(
                at: JSONValue(tape: tape, strings: strings, index: index &+ 1), end: end &- 1)
            : JSONElements(at: self, end: index)
    }

    /// The members of an object in order, repeated names included; none for other kinds.
    @inlinable
    package var members: JSONMembers {
        letter == UInt8(ascii: "{")
            ? JSONMembers(
                at: JSONValue(tape: tape, strings: strings, index: index &+ 1), end: end &- 1)
            : JSONMembers(at: self, end: index)
    }

    /// Calls `body` with each element of an array; see ``elements``.
    ///
    /// - Throws: what `body` throws; the elements after it are not visited.
    @inlinable
    package func forEachElement<Failure: Error>(
        _ body: (JSONValue) throws(Failure) -> Void
    ) throws(Failure) {
        for element in elements { try body(element) }
    }
}

/// The elements of an array; valid as long as the array is.
package struct JSONElements: Sequence, IteratorProtocol {
    @usableFromInline var position: JSONValue
    @usableFromInline let end: Int

    @inlinable
    init(at position: JSONValue, end: Int) {
        self.position = position
        self.end = end
    }

    /// The next element.
    @inlinable
    package mutating func next() -> JSONValue? {
        guard position.index < end else { return nil }
        let element = position
        position = JSONValue(tape: element.tape, strings: element.strings, index: element.end)
        return element
    }
}

/// The members of an object; valid as long as the object is.
package struct JSONMembers: Sequence, IteratorProtocol {
    @usableFromInline var position: JSONValue
    @usableFromInline let end: Int

    @inlinable
    init(at position: JSONValue, end: Int) {
        self.position = position
        self.end = end
    }

    /// The next member: its name as UTF-8, escapes resolved, and its value.
    @inlinable
    package mutating func next() -> (name: UnsafeRawBufferPointer, value: JSONValue)? {
        guard position.index < end, let name = position.bytes else { return nil }
        let value = JSONValue(tape: position.tape, strings: position.strings, index: position.index &+ 1)
        position = JSONValue(tape: position.tape, strings: position.strings, index: value.end)
        return (name, value)
    }
}
