/// A local date and time as MS-DOS and zip archives have it (APPNOTE 4.4.6): in steps of two
/// seconds, from 1980 to 2107, in no particular time zone.
package struct DOSTime: Sendable, Equatable {
    /// Hour, minute and half the second, from the highest bit on: 5, 6 and 5 bits.
    package let time: UInt16
    /// Year less 1980, month and day: 7, 4 and 5 bits.
    package let date: UInt16

    /// Midnight of 1 January 1980, the format's first.
    package static let earliest = DOSTime(time: 0, date: 0x21)

    /// Takes over the two fields of an archive, whatever they hold.
    package init(time: UInt16, date: UInt16) {
        self.time = time
        self.date = date
    }

    /// The time that is not later than a date and time of day by more than a second.
    ///
    /// A year before 1980 becomes the format's first moment, one after 2107 keeps its other parts.
    ///
    /// - Precondition: `month` 1 to 12, `day` 1 to 31, `hour` 0 to 23, `minute` and `second` 0 to 59.
    package init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        precondition((1...12).contains(month) && (1...31).contains(day), "no such day")
        precondition((0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second))
        guard year >= 1980 else {
            self = .earliest
            return
        }
        time = UInt16(hour << 11 | minute << 5 | second / 2)
        date = UInt16(min(year - 1980, 127) << 9 | month << 5 | day)
    }
}

/// How an entry's content is stored (APPNOTE 4.4.5).
package enum ZipMethod: UInt16, Sendable {
    /// As it is.
    case stored = 0
    /// As a DEFLATE stream (RFC 1951).
    case deflated = 8
}

/// The signatures, sizes and flags of APPNOTE 4.3 and 4.4.4.
enum ZipFormat {
    static let localSignature: UInt32 = 0x0403_4B50
    static let centralSignature: UInt32 = 0x0201_4B50
    static let endSignature: UInt32 = 0x0605_4B50
    static let localSize = 30
    static let centralSize = 46
    static let endSize = 22
    /// Bits 0, 5, 6 and 13: encryption, patches, strong encryption and a masked directory.
    static let unreadableFlags: UInt16 = 0x2061
    /// Bit 3: checksum and sizes come behind the content.
    static let descriptorFlag: UInt16 = 0x0008
    /// Bit 11: the name is UTF-8.
    static let utf8Flag: UInt16 = 0x0800

    /// The name that bytes spell, or `nil` if no flat file may have it.
    static func name(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard let name = String(validating: bytes, as: UTF8.self), isSafe(name) else { return nil }
        return name
    }

    /// Whether a file in a flat folder may have a name.
    static func isSafe(_ name: String) -> Bool {
        guard !name.isEmpty, name != ".", name != ".." else { return false }
        return name.utf8.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The 16 bits at an offset, the lowest byte first; the caller has made sure that they are there.
    func uint16(at offset: Int) -> UInt16 {
        precondition(offset >= 0 && offset <= count - 2)
        return UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The 32 bits at an offset, the lowest byte first; the caller has made sure that they are there.
    func uint32(at offset: Int) -> UInt32 {
        precondition(offset >= 0 && offset <= count - 4)
        return UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
