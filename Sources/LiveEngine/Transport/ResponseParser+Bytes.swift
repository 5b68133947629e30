#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What lines are made of.
extension ResponseParser {
    static func offset(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress, let found = memchr(base, Int32(byte), bytes.count) else {
            return nil
        }
        return UnsafeRawPointer(found) - base
    }

    /// A number of decimal digits and nothing else; `nil` also where it is too large.
    static func decimal(_ digits: UnsafeRawBufferPointer) -> Int? {
        var number = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte), number <= (Int.max - 9) / 10 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return digits.isEmpty ? nil : number
    }

    /// The size that a chunk's line says: hexadecimal digits, then nothing or an extension.
    static func chunkSize(_ line: UnsafeRawBufferPointer) -> Int? {
        var size = 0
        var index = 0
        while index < line.count, let digit = hexadecimal(line[index]) {
            guard size <= Int.max >> 5 else { return nil }
            size = size << 4 | digit
            index += 1
        }
        let rest = trimmed(UnsafeRawBufferPointer(rebasing: line[index...]))
        let isSound = index > 0 && (rest.isEmpty || rest[0] == 0x3B) && !hasControl(rest)
        return isSound ? size : nil
    }

    static func hexadecimal(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x41 + 10
        case 0x61...0x66: Int(byte) - 0x61 + 10
        default: nil
        }
    }

    /// Whether bytes may be a field's name: visible ASCII without a colon.
    static func isName(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
    }

    /// Whether a CR or NUL lies within a line, which no field may hold (RFC 9110, 5.5).
    static func hasControl(_ line: UnsafeRawBufferPointer) -> Bool {
        offset(of: 0x0D, in: line) != nil || offset(of: 0, in: line) != nil
    }

    /// Whether a byte is white space within a line: SP or HTAB.
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var low = 0
        var high = bytes.count
        while low < high && isBlank(bytes[low]) { low += 1 }
        while low < high && isBlank(bytes[high - 1]) { high -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[low..<high])
    }

    /// Whether bytes begin with a text, in its own case.
    static func begins(_ bytes: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
        guard let base = bytes.baseAddress, bytes.count >= text.utf8CodeUnitCount else { return false }
        return memcmp(base, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// Whether bytes are a text in lower case, whatever their own case.
    static func equal(_ bytes: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        guard bytes.count == lowercase.utf8CodeUnitCount else { return false }
        for index in 0..<bytes.count {
            let byte = bytes[index]
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            if lower != lowercase.utf8Start[index] { return false }
        }
        return true
    }

    /// Gives each element of a list, the empty ones too.
    static func forEachElement(
        of list: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        var rest = list
        while true {
            let comma = offset(of: 0x2C, in: rest)
            body(trimmed(UnsafeRawBufferPointer(rebasing: rest[..<(comma ?? rest.count)])))
            guard let comma else { return }
            rest = UnsafeRawBufferPointer(rebasing: rest[(comma + 1)...])
        }
    }

    /// The last element of a list; empty where there is none. Commas without one count for nothing (RFC 9110, 5.6.1.2).
    static func lastElement(of list: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = list.count
        while end > 0, list[end - 1] == 0x2C || isBlank(list[end - 1]) { end -= 1 }
        let elements = UnsafeRawBufferPointer(rebasing: list[..<end])
        let begin = elements.lastIndex(of: 0x2C).map { $0 + 1 } ?? 0
        return trimmed(UnsafeRawBufferPointer(rebasing: elements[begin...]))
    }
}
