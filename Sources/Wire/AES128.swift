/// The Advanced Encryption Standard with a key of 128 bits (FIPS 197), in cipher block chaining mode (NIST
/// SP 800-38A) with PKCS #7 padding (RFC 5652, 6.3).
///
/// For traffic that a simulated app encrypts itself; not for anything that has to stay secret: its running
/// time depends on the data.
package struct AES128: Sendable {
    package static let blockSize = 16
    private typealias Block = SIMD16<UInt8>

    private let roundKeys: [Block]

    /// - Precondition: `key` has 16 bytes.
    package init(key: [UInt8]) {
        precondition(key.count == AES128.blockSize, "a key of AES-128 has 16 bytes")
        var keys = [Block(key)]
        var constant: UInt8 = 1
        for _ in 1...10 {
            var key = keys[keys.count - 1]
            for index in 0..<4 { key[index] ^= AES128.box[Int(key[12 + (index + 1) % 4])] }
            key[0] ^= constant
            for index in 4..<16 { key[index] ^= key[index - 4] }
            keys.append(key)
            constant = constant << 1 ^ (constant & 0x80 == 0 ? 0 : 0x1B)
        }
        roundKeys = keys
    }

    /// Encrypts bytes; the result is 1 to 16 bytes longer, and a multiple of 16. O(`input`).
    ///
    /// - Precondition: `vector` has 16 bytes.
    package func encryptCBC(_ input: [UInt8], vector: [UInt8]) -> [UInt8] {
        precondition(vector.count == AES128.blockSize)
        let padding = AES128.blockSize - input.count % AES128.blockSize
        var output = input
        output.append(contentsOf: repeatElement(UInt8(padding), count: padding))
        var previous = Block(vector)
        for start in stride(from: 0, to: output.count, by: AES128.blockSize) {
            previous = encrypt(AES128.load(output, start) ^ previous)
            AES128.store(previous, to: &output, start)
        }
        return output
    }

    /// Decrypts what ``encryptCBC(_:vector:)`` made. O(`input`).
    ///
    /// - Precondition: `vector` has 16 bytes.
    /// - Returns: `nil` for an input whose length or padding no encryption yields.
    package func decryptCBC(_ input: [UInt8], vector: [UInt8]) -> [UInt8]? {
        precondition(vector.count == AES128.blockSize)
        guard !input.isEmpty, input.count % AES128.blockSize == 0 else { return nil }
        var output = input
        var previous = Block(vector)
        for start in stride(from: 0, to: input.count, by: AES128.blockSize) {
            let block = AES128.load(input, start)
            AES128.store(decrypt(block) ^ previous, to: &output, start)
            previous = block
        }
        let padding = Int(output[output.count - 1])
        guard (1...16).contains(padding), output.suffix(padding).allSatisfy({ Int($0) == padding }) else {
            return nil
        }
        output.removeLast(padding)
        return output
    }

    /// FIPS 197, 5.1.
    private func encrypt(_ block: Block) -> Block {
        var state = block ^ roundKeys[0]
        for round in 1...10 {
            state = AES128.shifted(AES128.substituted(state, AES128.box), by: 4)
            if round < 10 { state = AES128.mixed(state) }
            state ^= roundKeys[round]
        }
        return state
    }

    /// FIPS 197, 5.3. The inverse of mixing the columns is to mix them three times.
    private func decrypt(_ block: Block) -> Block {
        var state = block
        for round in stride(from: 10, through: 1, by: -1) {
            state ^= roundKeys[round]
            if round < 10 { state = AES128.mixed(AES128.mixed(AES128.mixed(state))) }
            state = AES128.substituted(AES128.shifted(state, by: 12), AES128.inverseBox)
        }
        return state ^ roundKeys[0]
    }

    private static func load(_ bytes: [UInt8], _ start: Int) -> Block {
        var block = Block()
        for index in 0..<blockSize { block[index] = bytes[start + index] }
        return block
    }

    private static func store(_ block: Block, to bytes: inout [UInt8], _ start: Int) {
        for index in 0..<blockSize { bytes[start + index] = block[index] }
    }

    private static func substituted(_ block: Block, _ box: [UInt8]) -> Block {
        var result = Block()
        for index in 0..<blockSize { result[index] = box[Int(block[index])] }
        return result
    }

    /// Rotates the rows, row n by n columns.
    private static func shifted(_ block: Block, by column: Int) -> Block {
        var result = Block()
        for index in 0..<blockSize { result[index] = block[(index + column * (index % 4)) % 16] }
        return result
    }

    /// Multiplies each column by 3x³ + x² + x + 2.
    private static func mixed(_ block: Block) -> Block {
        let next = rotated(block, by: 1)
        return doubled(block) ^ doubled(next) ^ next ^ rotated(block, by: 2) ^ rotated(block, by: 3)
    }

    /// Each column's bytes, moved up.
    private static func rotated(_ block: Block, by rows: Int) -> Block {
        var result = Block()
        for index in 0..<blockSize { result[index] = block[index & ~3 | (index + rows) & 3] }
        return result
    }

    /// Twice each byte in GF(2⁸) modulo x⁸ + x⁴ + x³ + x + 1.
    private static func doubled(_ block: Block) -> Block {
        (block &<< 1) ^ Block(repeating: 0).replacing(with: 0x1B, where: block .>= 0x80)
    }

    /// The substitution box: the inverse in GF(2⁸) through the affine transformation of FIPS 197, 5.1.1.
    private static let box: [UInt8] = {
        // Powers of 3, which generates all of the field but 0, and with them the inverses.
        var box = [UInt8](repeating: 0x63, count: 256)
        var (power, inverse): (UInt8, UInt8) = (1, 1)
        repeat {
            power ^= power << 1 ^ (power & 0x80 == 0 ? 0 : 0x1B)
            // Division by 3.
            inverse ^= inverse << 1
            inverse ^= inverse << 2
            inverse ^= inverse << 4
            if inverse & 0x80 != 0 { inverse ^= 0x09 }
            box[Int(power)] =
                [1, 2, 3, 4].reduce(inverse) { $0 ^ (inverse << $1 | inverse >> (8 - $1)) } ^ 0x63
        } while power != 1
        return box
    }()

    private static let inverseBox: [UInt8] = {
        var inverse = [UInt8](repeating: 0, count: 256)
        for (value, image) in box.enumerated() { inverse[Int(image)] = UInt8(value) }
        return inverse
    }()
}
