/// Base64 as clients write it.
extension Base64 {
    /// Appends the bytes that `input` encodes: in the standard alphabet or in the one for URLs (RFC 4648, section 5),
    /// with padding or without. O(`input.count`).
    ///
    /// - Returns: `false` if `input` is anything else; then `output` is as before.
    package static func decodeLeniently(
        _ input: UnsafeRawBufferPointer, into output: inout WireBuffer
    ) -> Bool {
        if decode(input, into: &output) { return true }
        var standard = WireBuffer(capacity: input.count + 3)
        for byte in input {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            default: standard.append(byte)
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        return standard.withUnsafeBytes { decode($0, into: &output) }
    }
}
