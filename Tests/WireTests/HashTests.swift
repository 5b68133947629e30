import Testing
import Timebase

@testable import Wire

@Suite("Hashes")
struct HashTests {
    /// Java's rule, one unit at a time.
    static func slowJavaHash(_ text: String) -> Int32 {
        text.utf16.reduce(0) { $0 &* 31 &+ Int32($1) }
    }

    @Test("Java's hash of any text agrees with the plain rule")
    func javaHash() {
        let seed: UInt64 = 31
        var stream = RandomStream(testSeed: seed)
        for _ in 0..<2000 {
            let text = stream.text(upTo: 40)
            #expect(withBytes(text) { JavaHash.hash($0) } == Self.slowJavaHash(text), "seed \(seed)")
        }
    }

    @Test("Java's hash of ASCII is right at every length around the eight-byte step")
    func javaHashLengths() {
        let text = String(repeating: "Az09+/=~", count: 5)
        for length in 0...text.count {
            let part = String(text.prefix(length))
            #expect(withBytes(part) { JavaHash.hash($0) } == Self.slowJavaHash(part))
            #expect(withBytes(part + "é😀") { JavaHash.hash($0) } == Self.slowJavaHash(part + "é😀"))
        }
    }

    @Test("Java's hash takes what is not UTF-8 for the replacement character")
    func javaHashInvalid() {
        let bytes: [UInt8] = [0x61, 0xFF]
        #expect(bytes.withUnsafeBytes { JavaHash.hash($0) } == 97 * 31 + 0xFFFD)
    }

    @Test("the 128-bit hash differs for every flipped bit and every length")
    func hash128Differs() {
        let base = [UInt8](repeating: 0, count: 41)
        var seen: Set<Hash128> = []
        var highs: Set<UInt64> = []
        var lows: Set<UInt64> = []
        var inputs = (0...41).map { Array(base.prefix($0)) }
        for bit in 0..<base.count * 8 {
            var flipped = base
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            inputs.append(flipped)
        }
        for input in inputs {
            let hash = input.withUnsafeBytes { Hash128($0) }
            seen.insert(hash)
            highs.insert(hash.high)
            lows.insert(hash.low)
        }
        #expect(seen.count == inputs.count && highs.count == inputs.count && lows.count == inputs.count)
    }

    @Test("a flipped bit changes about half of the 128-bit hash")
    func hash128Avalanche() {
        let seed: UInt64 = 128
        var stream = RandomStream(testSeed: seed)
        var changed = 0
        let trials = 2000
        for _ in 0..<trials {
            var bytes = stream.bytes(1 + Int(stream.below(60)))
            let before = bytes.withUnsafeBytes { Hash128($0) }
            bytes[Int(stream.below(UInt64(bytes.count)))] ^= 1 << UInt8(stream.below(8))
            let after = bytes.withUnsafeBytes { Hash128($0) }
            changed += (before.high ^ after.high).nonzeroBitCount + (before.low ^ after.low).nonzeroBitCount
        }
        // 64 expected; the mean's standard deviation is 0.13.
        let mean = Double(changed) / Double(trials)
        #expect(mean > 63 && mean < 65, "seed \(seed)")
    }

    @Test("parts count with their borders, and integers are not bytes")
    func hash128Parts() {
        func hash(_ parts: [String]) -> Hash128 {
            var builder = Hash128.Builder()
            for part in parts { withBytes(part) { builder.combine($0) } }
            return builder.hash
        }
        let hashes = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], []].map(hash)
        #expect(Set(hashes).count == hashes.count)
        var number = Hash128.Builder()
        number.combine(7)
        let bytes: [UInt8] = [7, 0, 0, 0, 0, 0, 0, 0]
        #expect(number.hash != bytes.withUnsafeBytes { Hash128($0) })
    }

    @Test("the 128-bit hash is the same in every process, and its text has 32 digits")
    func hash128Stable() {
        let hash = withBytes("BuyGoods") { Hash128($0) }
        #expect(written { hash.appendHexadecimal(to: &$0) } == "e15ab57849093166373f2b0e0cb46e20")
        #expect(
            written { Hash128(high: 1, low: 0xAB).appendHexadecimal(to: &$0) }
                == "000000000000000100000000000000ab")
        #expect(
            Hash128(high: 0, low: 5) < Hash128(high: 1, low: 0)
                && Hash128(high: 1, low: 0) < Hash128(high: 1, low: 1))
    }
}
