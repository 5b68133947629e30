import Timebase

@testable import Wire

/// The bytes that hexadecimal digits spell; what is no digit is skipped.
func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A buffer that holds these bytes.
func buffer(_ bytes: [UInt8]) -> WireBuffer {
    var buffer = WireBuffer()
    buffer.append(contentsOf: bytes)
    return buffer
}

/// Every cut of some bytes, and every one with one byte changed in every bit, all bits, and by one.
func damages(of bytes: [UInt8]) -> [[UInt8]] {
    var damaged = (0..<bytes.count).map { Array(bytes[..<$0]) }
    for index in bytes.indices {
        let changes = (0..<8).map { bytes[index] ^ 1 << UInt8($0) } + [~bytes[index], bytes[index] &+ 1]
        for change in changes {
            var copy = bytes
            copy[index] = change
            damaged.append(copy)
        }
    }
    return damaged
}

extension RandomStream {
    /// Contents of many kinds: nothing, noise, few different bytes, long runs, repeated rows, text.
    mutating func contents() -> [[UInt8]] {
        var all: [[UInt8]] = [[], [0], Array("0,1477382000,AppDelegate,启动App\n".utf8)]
        for size in [2, 11, 12, 13, 64, 255, 256, 1000, 70_000] {
            let noise = bytes(size)
            all += [noise, noise.map { $0 & 3 }, [UInt8](repeating: noise[0], count: size)]
        }
        let row = Array(text(upTo: 60).utf8)
        all.append((0..<200).flatMap { row + Array("\($0)\n".utf8) })
        all.append(Array(text(upTo: 500).utf8))
        // Something that comes again at a distance beyond LZ4's and DEFLATE's windows.
        let far = bytes(40)
        all.append(far + bytes(66_000) + far)
        return all
    }
}
