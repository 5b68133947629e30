import Testing
import Timebase

@testable import Snapshots

@Suite("Snapshots")
struct SnapshotTests {
    @Test("read what was written, in order")
    func roundTrip() throws {
        let seed = UInt64.random(in: 0...(.max))
        var stream = RandomStream(key: seed)
        for _ in 0..<200 {
            let number = stream.next() >> stream.below(64)
            let signed = Int64(bitPattern: stream.next()) >> Int64(stream.below(64))
            let bytes = (0..<Int(stream.below(40))).map { _ in UInt8(truncatingIfNeeded: stream.next()) }
            let list = (0..<Int(stream.below(5))).map { _ in
                stream.next()
            }
            var writer = SnapshotWriter()
            writer.write(number)
            writer.write(signed)
            writer.write(true)
            writer.write("é\u{0}\"")
            writer.write(bytes)
            writer.write(each: list)
            writer.write(optional: list.first)
            var reader = SnapshotReader(writer.bytes[...])
            #expect(try reader.unsigned() == number, "seed \(seed)")
            #expect(try reader.signed() == signed, "seed \(seed)")
            #expect(try reader.bool())
            #expect(try reader.text() == "é\u{0}\"")
            #expect(try reader.raw() == bytes, "seed \(seed)")
            #expect(try reader.values() == list, "seed \(seed)")
            #expect(try reader.optional() == list.first, "seed \(seed)")
            #expect(reader.isAtEnd)
        }
    }

    @Test("extremes take the room that they need")
    func extremes() throws {
        for (value, size) in [(UInt64(0), 1), (127, 1), (128, 2), (.max, 10)] {
            var writer = SnapshotWriter()
            writer.write(value)
            #expect(writer.bytes.count == size)
            var reader = SnapshotReader(writer.bytes[...])
            #expect(try reader.unsigned() == value)
        }
        for value in [Int64.min, -1, 0, .max] {
            var writer = SnapshotWriter()
            writer.write(value)
            var reader = SnapshotReader(writer.bytes[...])
            #expect(try reader.signed() == value)
        }
    }

    @Test("refuse what is cut, what is too large, and what cannot be")
    func refusals() {
        func read<Value>(
            _ bytes: [UInt8], _ body: (inout SnapshotReader) throws(SnapshotError) -> Value
        ) -> SnapshotError? {
            var reader = SnapshotReader(bytes[...])
            do throws(SnapshotError) {
                _ = try body(&reader)
                return nil
            } catch { return error }
        }
        #expect(read([]) { reader throws(SnapshotError) in try reader.unsigned() } == .cut)
        #expect(read([0x80]) { reader throws(SnapshotError) in try reader.unsigned() } == .cut)
        let eleven = [UInt8](repeating: 0x80, count: 10) + [1]
        #expect(read(eleven) { reader throws(SnapshotError) in try reader.unsigned() } != nil)
        let tooLarge = [UInt8](repeating: 0xFF, count: 9) + [2]
        #expect(read(tooLarge) { reader throws(SnapshotError) in try reader.unsigned() } != nil)
        #expect(read([2]) { reader throws(SnapshotError) in try reader.bool() } != nil)
        #expect(read([3, 1, 1]) { reader throws(SnapshotError) in try reader.raw() } == .cut)
        #expect(read([0x80, 2]) { reader throws(SnapshotError) in try reader.integer() as UInt8 } != nil)
        #expect(
            read([4, 2]) { reader throws(SnapshotError) in try reader.value() as Range<UInt64> } != nil,
            "a range that ends before it begins")
    }
}
