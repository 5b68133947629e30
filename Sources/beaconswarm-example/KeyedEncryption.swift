import Beaconswarm

/// An encryption of one's own: each byte's exclusive or with a key that goes round, moved by the request's factor.
///
/// Not fit to keep anything secret; it shows where a real one goes.
struct KeyedEncryption: EncryptionService {
    /// One byte or more.
    let key: [UInt8]

    var codec: String { "example-1" }

    func encrypt(_ body: [UInt8], factor: UInt8) -> [UInt8] {
        body.indices.map { body[$0] ^ (key[$0 % key.count] &+ factor) }
    }

    // The exclusive or undoes itself.
    func decrypt(_ body: [UInt8], factor: UInt8) -> [UInt8]? { encrypt(body, factor: factor) }
}
