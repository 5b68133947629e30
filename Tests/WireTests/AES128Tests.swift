import Testing
import Timebase

@testable import Wire

@Suite("AES-128")
struct AES128Tests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
    }

    private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
    private static let vector = bytes("000102030405060708090a0b0c0d0e0f")

    @Test("the blocks of SP 800-38A, F.2.1, and a block of padding behind them")
    func published() {
        let plain = Self.bytes(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
        let cipher = Self.bytes(
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7")
        let encrypted = AES128(key: Self.key).encryptCBC(plain, vector: Self.vector)
        #expect(encrypted.count == 80)
        #expect(Array(encrypted.prefix(64)) == cipher)
        #expect(AES128(key: Self.key).decryptCBC(encrypted, vector: Self.vector) == plain)
    }

    @Test("every length comes back, and nothing else does")
    func roundTrips() {
        var random = RandomStream(key: 7)
        let cipher = AES128(key: Self.key)
        for length in 0...70 {
            let plain = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let encrypted = cipher.encryptCBC(plain, vector: Self.vector)
            #expect(encrypted.count == (length / 16 + 1) * 16)
            #expect(cipher.decryptCBC(encrypted, vector: Self.vector) == plain)
            #expect(cipher.decryptCBC(Array(encrypted.dropLast()), vector: Self.vector) == nil)
        }
        #expect(cipher.decryptCBC([], vector: Self.vector) == nil)
    }
}
