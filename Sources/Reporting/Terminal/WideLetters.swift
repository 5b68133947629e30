/// How wide terminals draw letters: as East Asian Width (Unicode, annex 11) has it, of which the standard library knows
/// nothing.
enum WideLetters {
    /// Blocks of wide and of full-width letters, in their order.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    /// 0 for marks that combine with what stands before them, 2 for wide letters and pictures, else 1.
    static func columns(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        // Vowels and final consonants of Korean, which are drawn into the syllable that they belong to.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isWide =
            scalar.properties.isEmojiPresentation || blocks.contains { $0.contains(scalar.value) }
        return isWide ? 2 : 1
    }
}
