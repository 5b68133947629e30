import Testing
import Timebase
import Wire

@testable import Datasets

@Suite("Encodings of Parquet")
struct ParquetEncodingTests {
    /// A decoder by the format's text, of one number after the other.
    static func decode(_ bytes: [UInt8], width: Int, count: Int) -> [UInt32] {
        var values: [UInt32] = []
        var at = 0
        while values.count < count {
            var header = 0
            var shift = 0
            while true {
                let byte = bytes[at]
                at += 1
                header |= Int(byte & 0x7F) << shift
                shift += 7
                if byte < 0x80 { break }
            }
            let size = (width + 7) / 8
            if header & 1 == 0 {
                var value: UInt32 = 0
                for index in 0..<size { value |= UInt32(bytes[at + index]) << UInt32(8 * index) }
                at += size
                values += Array(repeating: value, count: header >> 1)
            } else {
                let bits = (header >> 1) * 8 * width
                for start in stride(from: 0, to: bits, by: width) {
                    var value: UInt32 = 0
                    for bit in 0..<width {
                        let position = start + bit
                        value |= UInt32(bytes[at + position / 8] >> UInt8(position % 8) & 1) << UInt32(bit)
                    }
                    values.append(value)
                }
                at += bits / 8
            }
        }
        #expect(at == bytes.count)
        return Array(values.prefix(count))
    }

    @Test("Runs and packed bits say what they were made of", arguments: 0..<200)
    func runLengths(seed: Int) {
        var stream = RandomStream(key: UInt64(seed))
        let width = 1 + Int(stream.below(20))
        var values: [UInt32] = []
        for _ in 0..<stream.below(40) {
            let value = UInt32(stream.below(1 << UInt64(width)))
            values += Array(repeating: value, count: 1 + Int(stream.below(stream.chance(0.5) ? 2 : 30)))
        }
        var buffer = WireBuffer()
        values.withUnsafeBufferPointer { RunLengths.append($0, width: width, to: &buffer) }
        #expect(ParquetEncodingTests.decode(buffer.bytes, width: width, count: values.count) == values)
        #expect(buffer.count <= (values.count + 8) * width / 8 + values.count / 4 + 8)
    }

    @Test("The compact protocol's own examples")
    func thrift() {
        var thrift = ThriftWriter()
        thrift.field(1, int32: -1)
        thrift.field(2, int64: 150)
        thrift.field(20, bool: true)
        thrift.field(21, text: "商")
        thrift.field(22, int32s: [0, 1])
        thrift.field(23) { $0.field(3, bool: false) }
        thrift.field(24, structs: 0..<16) { thrift, _ in thrift.field(1, int16: 2) }
        thrift.stop()
        var expected: [UInt8] = [0x15, 0x01, 0x16, 0xAC, 0x02, 0x01, 0x28, 0x18, 0x03, 0xE5, 0x95, 0x86]
        expected += [0x19, 0x25, 0x00, 0x02, 0x1C, 0x32, 0x00, 0x19, 0xFC, 0x10]
        for _ in 0..<16 { expected += [0x14, 0x04, 0x00] }
        #expect(thrift.buffer.bytes == expected + [0x00])
    }

    @Test("A dictionary gives each value one number, until it is full", arguments: [false, true])
    func dictionary(isText: Bool) {
        var dictionary = ValueDictionary()
        var numbers: [UInt64: UInt32] = [:]
        var stream = RandomStream(key: 5)
        var given: [UInt32] = []
        var expected = RawBytes(capacity: 0)
        var isFull = false
        for _ in 0..<400_000 where !isFull {
            let value = stream.below(200_000)
            let text = Array("v\(value)".utf8)
            let number =
                isText
                ? text.withUnsafeBytes { dictionary.number(of: $0) } : dictionary.number(of: value)
            guard let number else {
                isFull = true
                #expect(numbers[value] == nil)
                break
            }
            #expect(numbers[value, default: UInt32(numbers.count)] == number)
            numbers[value] = number
            given.append(number)
            if isText {
                text.withUnsafeBytes { expected.append(prefixed: $0) }
            } else {
                expected.append(word: value)
            }
        }
        #expect(isFull && dictionary.count == numbers.count)
        #expect(
            dictionary.page.count <= ValueDictionary.byteLimit
                && dictionary.page.count > ValueDictionary.byteLimit - 16)
        var unpacked = RawBytes(capacity: 0)
        given.withUnsafeBufferPointer { dictionary.append($0, isText: isText, to: &unpacked) }
        #expect(unpacked.bytes.elementsEqual(expected.bytes))
        dictionary.removeAll()
        #expect(dictionary.number(of: 9) == 0)
    }
}

@Suite("Partitions")
struct PartitionTests {
    @Test("An hour that clocks show twice is one part, and a skipped one none")
    func clockChanges() {
        // Central Europe, 2026: 03:00 becomes 02:00 at 01:00 UTC on October 25, 02:00 becomes 03:00 on March 29.
        let zone = ZoneOffsets(changes: [
            .init(from: .min, offset: 3600), .init(from: 1_774_746_000, offset: 7200),
            .init(from: 1_792_890_000, offset: 3600),
        ])
        func folders(from start: Int64, step: Int64, count: Int64) -> [String] {
            var clock = PartitionClock(.hour, zone: zone, type: .timestampMillis)
            return (0..<count).map {
                PartitionClock.folder(clock.key(of: (start + $0 * step) * 1000), of: .hour)
            }
        }
        let autumn = folders(from: 1_792_890_000 - 7200, step: 1800, count: 10)
        #expect(
            autumn.map { $0.suffix(3) } == [
                "01/", "01/", "02/", "02/", "02/", "02/", "03/", "03/", "04/", "04/",
            ])
        #expect(autumn[0] == "dt=2026-10-25/hour=01/")
        let spring = folders(from: 1_774_746_000 - 3600, step: 1800, count: 4)
        #expect(spring.map { $0.suffix(3) } == ["01/", "01/", "03/", "03/"])
    }

    @Test(
        "What the machine knows of a zone is what its calendar shows",
        arguments: ["Asia/Shanghai", "America/New_York", "Europe/Berlin"])
    func zones(name: String) throws {
        let zone = try #require(ZoneOffsets(name: name, years: 2020...2030))
        #expect(ZoneOffsets(name: "Nowhere/None") == nil)
        let offsets: [String: (Int64, Int64)] = [
            "Asia/Shanghai": (28_800, 28_800), "America/New_York": (-18_000, -14_400),
            "Europe/Berlin": (3600, 7200),
        ]
        let expected = try #require(offsets[name])
        #expect(zone.span(at: 1_767_571_200).offset == expected.0)  // 2026-01-05
        #expect(zone.span(at: 1_783_209_600).offset == expected.1)  // 2026-07-05
    }
}
