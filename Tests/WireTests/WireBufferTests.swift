import Testing
import Timebase

@testable import Wire

@Suite("Wire buffer")
struct WireBufferTests {
    @Test("appends every kind of source in order")
    func sources() {
        var buffer = WireBuffer()
        buffer.append(UInt8(ascii: "a"))
        buffer.append("literal ")
        buffer.append(String("文字"))
        buffer.append(contentsOf: [1, 2])
        buffer.append(contentsOf: [9, 3, 4, 9][1...2])
        buffer.append(contentsOf: (5...6).lazy.map { UInt8($0) })
        buffer.append(contentsOf: WireBuffer("end"))
        buffer.append(contentsOf: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(buffer.bytes == Array("aliteral 文字".utf8) + [1, 2, 3, 4, 5, 6] + Array("end".utf8))
        #expect(buffer.count == buffer.bytes.count)
        #expect(buffer.last == UInt8(ascii: "d"))
        #expect(buffer[1] == UInt8(ascii: "l"))
    }

    @Test("keeps its memory over removal and gives it up on request")
    func removal() {
        var buffer = WireBuffer("some text")
        let capacity = buffer.capacity
        buffer.removeAll()
        #expect(buffer.isEmpty && buffer.last == nil && buffer.capacity == capacity)
        buffer.append("x")
        #expect(buffer.text == "x")
        buffer.removeAll(keepingCapacity: false)
        #expect(buffer.capacity == 0 && buffer.bytes.isEmpty)
        buffer.append("y")
        #expect(buffer.text == "y")
    }

    @Test("is a value: a copy does not see what is appended later")
    func valueSemantics() {
        var buffer = WireBuffer("one")
        let copy = buffer
        buffer.append("two")
        #expect(copy.text == "one" && buffer.text == "onetwo")
        #expect(copy == WireBuffer("one") && copy != buffer)
    }

    @Test("a copy survives whatever the original does with its memory")
    func sharedMemory() {
        var buffer = WireBuffer("one")
        let copies = (buffer, buffer, buffer)
        buffer.removeAll()
        buffer.append("NEW")
        var cut = copies.1
        cut.truncate(to: 1)
        cut.append(UInt8(ascii: "!"))
        var doubled = copies.2
        doubled.append(contentsOf: doubled)
        var written = copies.0
        written.append(upTo: 3) { memory in
            memory.storeBytes(of: 0x58, as: UInt8.self)
            return 1
        }
        #expect(
            buffer.text == "NEW" && cut.text == "o!" && doubled.text == "oneone" && written.text == "oneX")
        #expect(copies.0.text == "one" && copies.1.text == "one" && copies.2.text == "one")
    }

    @Test("forgets what a throwing writer wrote")
    func throwingWriter() {
        var buffer = WireBuffer("kept")
        #expect(throws: GzipError.corrupt) {
            try buffer.append(upTo: 10) { memory throws(GzipError) -> Int in
                memory.storeBytes(of: 1, as: UInt8.self)
                throw .corrupt
            }
        }
        #expect(buffer.text == "kept")
    }

    @Test("writes integers as Swift does, around every power of ten and at the ends")
    func integers() {
        var values: [UInt64] = [0, .max, .max - 1]
        for power in powersOfTen { values += [power, power - 1, power &+ 1] }
        for shift in 0..<64 { values += [1 << UInt64(shift), (1 << UInt64(shift)) - 1] }
        for value in values {
            #expect(written { $0.appendDecimal(value) } == "\(value)")
            let signed = Int64(bitPattern: value)
            #expect(written { $0.appendDecimal(signed) } == "\(signed)")
        }
    }

    @Test(
        "writes fixed decimals",
        arguments: [
            (3482, 3, "3.482", "3.482"), (0, 0, "0", "0"), (0, 3, "0.000", "0"), (5, 0, "5", "5"),
            (-5, 2, "-0.05", "-0.05"), (3500, 3, "3.500", "3.5"), (-2000, 3, "-2.000", "-2"),
            (1, 19, "0.0000000000000000001", "0.0000000000000000001"),
            (Int64.min, 3, "-9223372036854775.808", "-9223372036854775.808"),
        ])
    func fixed(value: Int64, decimals: Int, plain: String, trimmed: String) {
        #expect(written { $0.appendFixed(value, decimals: decimals) } == plain)
        #expect(written { $0.appendFixed(value, decimals: decimals, trimmingZeros: true) } == trimmed)
    }

    @Test(
        "writes doubles in their shortest form",
        arguments: [
            (1, "1"), (9.5, "9.5"), (0, "0"), (-0.0, "-0.0"), (0.1, "0.1"), (31.99, "31.99"),
            (-3.482, "-3.482"),
            (0.1 + 0.2, "0.30000000000000004"), (1e20, "1e+20"), (1e15, "1e+15"),
            (123456789012345, "123456789012345"),
            (9007199254740991, "9007199254740991"), (0.000001, "0.000001"),
            (.leastNonzeroMagnitude, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func doubles(value: Double, expected: String) {
        let text = written { $0.appendDecimal(value) }
        // Swift chooses between 1e+15 and its digits by its own rule: the same number either way.
        #expect(text == expected || (value == 1e15 && text == "1000000000000000"))
    }

    @Test("reads back every double that it writes, and never needs more digits than Swift")
    func randomDoubles() {
        let seed: UInt64 = 20_260_302
        var stream = RandomStream(testSeed: seed)
        for _ in 0..<20_000 {
            let bits = stream.next()
            let candidates = [
                Double(bitPattern: bits), Double(Int64(bitPattern: bits) >> 20) / 1000,
                stream.uniform() * 100, Double(stream.below(1_000_000)) / 100,
            ]
            for value in candidates where value.isFinite {
                let text = written { $0.appendDecimal(value) }
                #expect(Double(text) == value, "seed \(seed)")
                func digits(_ text: String) -> Int {
                    let mantissa = text.prefix { $0 != "e" }.filter(\.isNumber)
                    return mantissa.drop { $0 == "0" }.count
                }
                #expect(digits(text) <= digits(value.description), "seed \(seed): \(value)")
            }
        }
    }
}
