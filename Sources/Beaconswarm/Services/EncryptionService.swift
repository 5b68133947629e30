/// An app's own encryption instead of GrowingIO's (`GrowingEncryptionService`): of the bodies of uploads, after
/// compression, and of the files that the SDK keeps for itself.
///
/// One value serves all devices of a population, on several threads at once, so it must not change. A run is repeatable
/// only if results depend on nothing but the arguments.
///
/// For every `body` and `factor`, `decrypt(encrypt(body, factor: factor), factor: factor) == body`: the embedded and
/// the modelled collector use it to read what devices wrote. A collector of your own has to do the same.
public protocol EncryptionService: Sendable {
    /// The value of the header `X-Crypt-Codec`: 1 to 64 letters, digits, `.`, `_` or `-`.
    ///
    /// GrowingIO's own XOR is `1`, and this project's AES is `2`. A registered service takes precedence over them, so the
    /// codec must not be one that another population of the scenario uses for something else, another key included.
    var codec: String { get }

    /// `encryptEventData:factor:`: the bytes that the device sends for a body.
    ///
    /// - Parameters:
    ///   - body: The upload's body, compressed if the SDK compresses.
    ///   - factor: The lowest byte of the request's `stm`, the device's clock in milliseconds.
    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]

    /// The body that was encrypted; `nil` if it cannot be read, which makes the request undecodable.
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]?

    /// `encryptLocalData:`: what the SDK writes into a file of its own, such as the bytes that it sent over cellular
    /// networks today. By default ``encrypt(_:factor:)`` with the factor 90.
    func encryptLocal(_ data: [UInt8]) -> [UInt8]

    /// `decryptLocalData:`; `nil` counts as a file that is not there. By default ``decrypt(_:factor:)`` with the factor
    /// 90.
    func decryptLocal(_ data: [UInt8]) -> [UInt8]?
}

extension EncryptionService {
    /// Encrypts as bodies are, with the factor 90.
    public func encryptLocal(_ data: [UInt8]) -> [UInt8] { encrypt(data, factor: 0x5A) }

    /// Decrypts as bodies are, with the factor 90.
    public func decryptLocal(_ data: [UInt8]) -> [UInt8]? { decrypt(data, factor: 0x5A) }
}
