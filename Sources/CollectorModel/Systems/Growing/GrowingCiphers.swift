/// How a collector takes off encryptions that are none of its own: by the value of `X-Crypt-Codec`.
///
/// Beside the plan's other members it is told by code, so two are equal if they know the same codecs.
package struct GrowingCiphers: Sendable {
    /// Decrypts a body by its factor, the lowest byte of the request's `stm`; `nil` for one that cannot be read.
    package typealias Decryption = @Sendable (_ body: [UInt8], _ factor: UInt8) -> [UInt8]?

    private var decryptions: [String: Decryption] = [:]

    /// Knows none.
    package init() {}

    /// What is registered for a codec; it comes before the collector's own of that name.
    package subscript(codec: String) -> Decryption? {
        get { decryptions[codec] }
        set { decryptions[codec] = newValue }
    }
}

extension GrowingCiphers: Hashable {
    package static func == (left: GrowingCiphers, right: GrowingCiphers) -> Bool {
        left.decryptions.keys == right.decryptions.keys
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(Set(decryptions.keys)) }
}
