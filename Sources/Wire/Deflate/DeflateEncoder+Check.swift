extension DeflateEncoder {
    /// Whether an input comes back from each of the efforts, within the length that was promised: what
    /// a fuzzer calls.
    ///
    /// A pure function of the input. Its first byte chooses how the rest is cut into parts, so that
    /// short inputs meet what else only long ones do.
    package static func roundTrips(_ input: UnsafeRawBufferPointer) -> Bool {
        guard let choice = input.first else { return true }
        let content = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        let partLimit = choice < 128 ? 1 << 30 : Int(choice - 127) * 16
        let decoder = GzipDecoder(limit: content.count)
        return DeflateEffort.allCases.allSatisfy { effort in
            let deflate = DeflateEncoder(effort, base: Int(UInt32.max) - 1000, partLimit: partLimit)
            let gzip = GzipEncoder(level: 6, deflate: deflate)
            var packed = WireBuffer()
            gzip.compress(content, into: &packed)
            var unpacked = WireBuffer()
            do throws(GzipError) {
                try decoder.decompress(packed, into: &unpacked)
            } catch {
                return false
            }
            // The header and the trailer are 18 bytes.
            return packed.count <= deflate.bound(of: content.count) + 18
                && unpacked.withUnsafeBytes { $0.elementsEqual(content) }
        }
    }
}
