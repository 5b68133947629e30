import Testing
import Timebase

@testable import Wire

@Suite("Zip archives")
struct ZipTests {
    static let time = DOSTime(year: 2016, month: 10, day: 25, hour: 8, minute: 0, second: 3)

    static func file(_ name: String, _ content: [UInt8]) -> ZipFile {
        ZipFile(name: name, modified: time, content: buffer(content))
    }

    static func encode(_ files: [ZipFile], method: ZipMethod = .deflated) throws -> [UInt8] {
        try writtenBytes { try ZipEncoder().encode(files, method: method, into: &$0) }
    }

    /// The names and contents of an archive, or the error.
    static func decode(
        _ archive: [UInt8], limits: ZipLimits = ZipLimits()
    ) -> Result<[(name: String, content: [UInt8])], ZipError> {
        let decoder = ZipDecoder(limits: limits)
        do throws(ZipError) {
            let files = try buffer(archive).withUnsafeBytes { bytes throws(ZipError) in
                var files: [(name: String, content: [UInt8])] = []
                for entry in try decoder.entries(of: bytes) {
                    var content = WireBuffer("before")
                    do throws(ZipError) {
                        try decoder.decode(entry, of: bytes, into: &content)
                    } catch {
                        #expect(content.text == "before")
                        throw error
                    }
                    files.append((entry.name, Array(content.bytes.dropFirst(6))))
                }
                return files
            }
            return .success(files)
        } catch {
            return .failure(error)
        }
    }

    static func error(_ archive: [UInt8], limits: ZipLimits = ZipLimits()) -> ZipError? {
        if case .failure(let error) = decode(archive, limits: limits) { return error }
        return nil
    }

    static let three = [
        file("a.log", Array(repeatElement(Array("0,1477382000,AppDelegate\n".utf8), count: 4).joined())),
        file("日志.log", Array("stored".utf8)), file("empty", []),
    ]

    @Test("reads what it writes, stored and deflated", arguments: [ZipMethod.stored, .deflated])
    func roundTrip(method: ZipMethod) throws {
        let encoder = ZipEncoder()
        for seed: UInt64 in 1...3 {
            var stream = RandomStream(testSeed: seed)
            let files = stream.contents().enumerated().map { Self.file("文件 \($0).log", $1) }
            var archive = WireBuffer("before")
            try encoder.encode(files, method: method, into: &archive)
            let limits = ZipLimits(ratio: 1100)
            let read = try Self.decode(Array(archive.bytes.dropFirst(6)), limits: limits).get()
            #expect(read.map(\.name) == files.map(\.name), "seed \(seed)")
            #expect(read.map(\.content) == files.map(\.content.bytes), "seed \(seed)")
        }
        #expect(try Self.decode(Self.encode([])).get().isEmpty)
    }

    @Test("reads Python's archives, with sizes before and behind the content")
    func pythonArchives() throws {
        let plain =
            "504b03041400000008000140594989926a681e0000006400000005000000612e6c6f6733d03134313737b6303230"
            + "30d0712c287049cd494d4f2c49e532a09e0400504b0304140000080000014059490bf9435606000000060000000a"
            + "000000e697a5e5bf972e6c6f6773746f726564504b03041400000008000140594900000000020000000000000005"
            + "000000656d7074790300504b010214031400000008000140594989926a681e000000640000000500000000000000"
            + "00000000800100000000612e6c6f67504b01021403140000080000014059490bf9435606000000060000000a0000"
            + "000000000000000000800141000000e697a5e5bf972e6c6f67504b01021403140000000800014059490000000002"
            + "0000000000000005000000000000000000000080016f000000656d707479504b050600000000030003009e000000"
            + "940000000000"
        let streamed =
            "504b03041400080008000140594900000000000000000000000005000000612e6c6f6733d03134313737b6303230"
            + "30d0712c287049cd494d4f2c49e532a09e0400504b070889926a681e00000064000000504b030414000808000001"
            + "4059490000000000000000000000000a000000e697a5e5bf972e6c6f6773746f726564504b07080bf94356060000"
            + "0006000000504b03041400080008000140594900000000000000000000000005000000656d7074790300504b0708"
            + "000000000200000000000000504b010214031400080008000140594989926a681e00000064000000050000000000"
            + "000000000000800100000000612e6c6f67504b01021403140008080000014059490bf9435606000000060000000a"
            + "0000000000000000000000800151000000e697a5e5bf972e6c6f67504b0102140314000800080001405949000000"
            + "00020000000000000005000000000000000000000080018f000000656d707479504b050600000000030003009e00"
            + "0000c40000000000"
        for archive in [plain, streamed].map(bytes(hex:)) {
            let files = try Self.decode(archive).get()
            #expect(files.map(\.name) == Self.three.map(\.name))
            #expect(files.map(\.content) == Self.three.map(\.content.bytes))
            let entries = try archive.withUnsafeBytes { try ZipDecoder().entries(of: $0) }
            #expect(
                entries.map(\.modified) == [DOSTime](repeating: DOSTime(time: 0x4001, date: 0x4959), count: 3)
            )
            #expect(entries.map(\.method) == [.deflated, .stored, .deflated])
        }
    }

    @Test("writes the very fields of Python's zipfile")
    func layout() throws {
        let archive = try Self.encode([Self.file("日.log", Array("stored".utf8))], method: .stored)
        let expected =
            "504b0304 1400 0008 0000 0140 5949 0bf94356 06000000 06000000 0700 0000 e697a52e6c6f67"
            + "73746f726564"
            + "504b0102 1403 1400 0008 0000 0140 5949 0bf94356 06000000 06000000 0700 0000 0000 0000 0000"
            + "0000a481 00000000 e697a52e6c6f67"
            + "504b0506 0000 0000 0100 0100 35000000 2b000000 0000"
        #expect(archive == bytes(hex: expected))
    }

    @Test("packs times as MS-DOS does, from 1980 to 2107")
    func times() {
        #expect(Self.time == DOSTime(time: 0x4001, date: 0x4959))
        let last = DOSTime(year: 2107, month: 12, day: 31, hour: 23, minute: 59, second: 59)
        #expect(last == DOSTime(time: 0xBF7D, date: 0xFF9F))
        #expect(DOSTime(year: 1979, month: 12, day: 31, hour: 23, minute: 59, second: 59) == .earliest)
    }

    @Test("writes no file that a flat folder cannot have")
    func writtenNames() {
        for name in ["", ".", "..", "a/b", "/a", "a\\b", "a\nb", "a\0", "\u{7F}"] {
            #expect(throws: ZipError.unsafeName(name, entry: 1)) {
                try Self.encode([Self.file("good", []), Self.file(name, [])])
            }
        }
        #expect(throws: ZipError.duplicateName("a")) {
            try Self.encode([Self.file("a", []), Self.file("a", [1])])
        }
        let long = String(repeating: "a", count: 65_536)
        #expect(throws: ZipError.nameTooLong(65_536, limit: 65_535, entry: 0)) {
            try Self.encode([Self.file(long, [])])
        }
    }

    @Test(
        "reads no name that leads out of a flat folder",
        arguments: ["../x", "a/..", "..", "x\\y", "x\ny", "\u{FF}"])
    func readNames(name: String) throws {
        // As long in UTF-8 as the name, and then replaced by it in both headers.
        let raw = name == "\u{FF}" ? [0xC3, 0x28] : Array(name.utf8)
        let stand = [UInt8](repeating: 0x41, count: raw.count)
        var archive = try Self.encode([Self.file(String(decoding: stand, as: UTF8.self), [0])])
        for start in 0..<archive.count - raw.count
        where archive[start..<start + raw.count].elementsEqual(stand) {
            archive.replaceSubrange(start..<start + raw.count, with: raw)
        }
        #expect(Self.error(archive) == .unsafeName(String(decoding: raw, as: UTF8.self), entry: 0))
    }

    @Test("holds every limit, to the unit")
    func limits() throws {
        let archive = try Self.encode([Self.file("abc", [1, 2, 3]), Self.file("d", [4, 5])])
        #expect(Self.error(archive, limits: ZipLimits(entries: 2, nameBytes: 3, totalBytes: 5)) == nil)
        #expect(Self.error(archive, limits: ZipLimits(entries: 1)) == .tooManyEntries(2, limit: 1))
        #expect(Self.error(archive, limits: ZipLimits(nameBytes: 2)) == .nameTooLong(3, limit: 2, entry: 0))
        #expect(Self.error(archive, limits: ZipLimits(totalBytes: 4)) == .tooLarge(5, limit: 4, entry: 1))
        let zeros = try Self.encode([Self.file("zeros", [UInt8](repeating: 0, count: 1 << 20))])
        let size = try zeros.withUnsafeBytes {
            try ZipDecoder(limits: ZipLimits(ratio: 2000)).entries(of: $0)[0].data.count
        }
        let ratio = ((1 << 20) + size - 1) / size
        #expect(ratio > 900)
        #expect(Self.error(zeros, limits: ZipLimits(ratio: ratio)) == nil)
        let expected = ZipError.suspiciousRatio(ratio, limit: ratio - 1, name: "zeros")
        #expect(Self.error(zeros, limits: ZipLimits(ratio: ratio - 1)) == expected)
        #expect(Self.error(zeros) == .suspiciousRatio(ratio, limit: 200, name: "zeros"))
        let small = try Self.encode([Self.file("zeros", [UInt8](repeating: 0, count: ZipLimits.freeBytes))])
        #expect(Self.error(small, limits: ZipLimits(ratio: 1)) == nil)
    }

    /// Overwrites bytes of the only directory header of an archive of one file, and of its local one.
    private func patched(central: Int, local: Int?, _ values: [UInt8]) throws -> [UInt8] {
        let content = Array(repeatElement(Array("row of a log\n".utf8), count: 20).joined())
        var archive = try Self.encode([Self.file("f", content)])
        let directory = archive.count - ZipFormat.endSize - ZipFormat.centralSize - 1
        for (offset, value) in values.enumerated() {
            archive[directory + central + offset] = value
            if let local { archive[local + offset] = value }
        }
        return archive
    }

    @Test("names what is wrong with an archive")
    func errors() throws {
        #expect(Self.error([]) == .notAnArchive)
        #expect(Self.error([UInt8](repeating: 0, count: 100_000)) == .notAnArchive)
        let good = try Self.encode([Self.file("f", [1])])
        #expect(Self.error(good + [0]) == .notAnArchive)
        #expect(Self.error([0] + good) == .malformed("the end record", offset: good.count - 21))
        let directory =
            try patched(central: 0, local: nil, []).count - ZipFormat.endSize - ZipFormat.centralSize - 1
        let cases: [(central: Int, local: Int?, bytes: [UInt8], error: ZipError)] = [
            (8, 6, [1, 0], .unsupported("encryption", offset: directory)),
            (10, 8, [12, 0], .unsupported("compression method 12", offset: directory)),
            (24, 22, [255, 255, 255, 255], .unsupported("Zip64", offset: directory)),
            (34, nil, [1, 0], .unsupported("an archive on several disks", offset: directory)),
            (10, 8, [0, 0], .malformed("a stored file with two sizes", offset: directory)),
            (42, nil, [200, 0, 0, 0], .malformed("a local header", offset: 200)),
            (20, 18, [200, 0, 0, 0], .malformed("a local header", offset: 0)),
            (16, nil, [0], .malformed("a local header that contradicts the directory", offset: 0)),
            (46, nil, [0x67], .malformed("a local header that contradicts the directory", offset: 0)),
            (16, 14, [1, 2, 3, 4], .wrongChecksum("f")), (24, 22, [5, 0], .corruptContent("f")),
            (24, 22, [5, 1], .corruptContent("f")),
            (28, nil, [200], .malformed("a directory header", offset: directory)),
        ]
        for (central, local, bytes, error) in cases {
            #expect(Self.error(try patched(central: central, local: local, bytes)) == error)
        }
    }

    @Test("reads no archive in which two files share bytes")
    func overlap() throws {
        // The outer file is stored and is itself an archive's beginning: the inner file's header and content.
        let inner = try Self.encode([Self.file("b", [1, 2, 3])], method: .stored)
        let innerLocal = Array(inner[..<34])
        let outer = try Self.encode([Self.file("a", innerLocal)], method: .stored)
        let outerLocal = Array(outer[..<65])
        var innerCentral = Array(inner[34..<81])
        innerCentral[42] = 31
        let end = bytes(hex: "504b0506 0000 0000 0200 0200 5e000000 41000000 0000")
        let archive = outerLocal + outer[65..<112] + innerCentral + end
        #expect(Self.error(archive) == .overlap("a", "b"))
    }

    @Test("gives an error for every cut, and an error or the same content for every flipped bit")
    func damage() throws {
        let archive = try Self.encode(Self.three)
        for damaged in damages(of: archive) {
            guard case .success(let files) = Self.decode(damaged) else { continue }
            #expect(damaged.count == archive.count)
            // Times, versions and attributes are free; names are not, since they stand twice.
            #expect(files.map(\.name) == Self.three.map(\.name))
            #expect(files.map(\.content) == Self.three.map(\.content.bytes))
        }
    }

    @Test("survives random bytes in the directory and in the streams")
    func randomBytes() throws {
        let seed: UInt64 = 63
        var stream = RandomStream(testSeed: seed)
        let archive = try Self.encode(Self.three)
        for _ in 0..<5000 {
            var damaged = archive
            for _ in 0...stream.below(8) {
                damaged[Int(stream.below(UInt64(archive.count)))] = UInt8(truncatingIfNeeded: stream.next())
            }
            guard case .success(let files) = Self.decode(damaged) else { continue }
            #expect(files.map(\.content) == Self.three.map(\.content.bytes), "seed \(seed)")
        }
    }
}
