package import DeviceSDK
package import Timebase
package import Wire

/// The compression service (`GrowingCompressService`).
package protocol GrowingCompressionService: Sendable {
    /// Value of `X-Compress-Codec`; `nil` sends no such header.
    var codec: String? { get }
    /// Appends the compressed form of a body.
    func compress(_ body: borrowing WireBuffer, into output: inout WireBuffer)
}

/// The encryption service (`GrowingEncryptionService`).
package protocol GrowingEncryptionService: Sendable {
    /// Value of `X-Crypt-Codec`; `nil` sends no such header.
    var codec: String? { get }
    /// `encryptEventData:factor:`: changes a body on its way out.
    ///
    /// - Parameter factor: The lowest byte of the request's `stm`.
    func encryptEventData(_ data: inout WireBuffer, factor: UInt8)
    /// `encryptLocalData:`: what the SDK keeps in files of its own, such as the bytes that it sent over cellular
    /// networks today.
    func encryptLocalData(_ data: [UInt8]) -> [UInt8]
    /// `decryptLocalData:`: what was encrypted so; empty for what cannot be read.
    func decryptLocalData(_ data: [UInt8]) -> [UInt8]
}

/// The network service (`GrowingEventNetworkService`): has the last word on a request.
package protocol GrowingNetworkService: Sendable {
    /// Time from the start of a request to the last byte of its answer; `nil` for the rules' own.
    var timeout: Interval? { get }
    /// Changes the head of a request before it leaves.
    func prepare(_ head: inout RequestHead)
}

/// The implementations that are registered when the SDK starts. `nil` stands for a service that was taken
/// out of the pod.
///
/// Made from the rules' names; an app's own are put in before the system is made:
///
/// ```swift
/// var services = GrowingServices(rules: rules)
/// services.encryption = CustomEncryption()
/// let system = GrowingSystem(plan: plan, rules: rules, services: services)
/// ```
package struct GrowingServices: Sendable {
    package var compression: (any GrowingCompressionService)?
    package var encryption: (any GrowingEncryptionService)?
    package var network: (any GrowingNetworkService)?

    package init(rules: GrowingRules) {
        compression =
            switch rules.compression {
            case .none: nil
            case .lz4: GrowingLZ4()
            case .snappy: GrowingSnappy()
            }
        encryption =
            switch rules.encryption {
            case .none: nil
            case .xor: GrowingXOR()
            case .aes: GrowingAES(key: rules.services.aesKey)
            }
        network = rules.services.network ? GrowingURLSession() : nil
    }
}

/// Raw LZ4 blocks, as the iOS SDK has them.
package struct GrowingLZ4: GrowingCompressionService {
    package init() {}
    package var codec: String? { "3" }
    package func compress(_ body: borrowing WireBuffer, into output: inout WireBuffer) {
        LZ4Block.encode(body, into: &output)
    }
}

/// Raw Snappy blocks, as the Android and Python SDKs have them.
package struct GrowingSnappy: GrowingCompressionService {
    package init() {}
    package var codec: String? { "2" }
    package func compress(_ body: borrowing WireBuffer, into output: inout WireBuffer) {
        SnappyBlock.encode(body, into: &output)
    }
}

/// `GrowingDataEncoder`: each byte's exclusive or with the factor; local data with a byte of its own.
package struct GrowingXOR: GrowingEncryptionService {
    /// The byte for local data; the simulation's choice.
    private static let localFactor: UInt8 = 0x5A

    package init() {}
    package var codec: String? { "1" }
    package func encryptEventData(_ data: inout WireBuffer, factor: UInt8) { data.applyXOR(factor) }
    package func encryptLocalData(_ data: [UInt8]) -> [UInt8] { data.map { $0 ^ Self.localFactor } }
    package func decryptLocalData(_ data: [UInt8]) -> [UInt8] { encryptLocalData(data) }
}

/// AES-128 in CBC mode with PKCS #7 padding, as an app might put in GrowingIO's place: not GrowingIO's
/// own, so key and codec are the simulation's. The initialization vector is the factor sixteen times.
package struct GrowingAES: GrowingEncryptionService {
    private let cipher: AES128
    private static let localFactor: UInt8 = 0x5A

    /// - Parameter key: Sixteen bytes.
    package init(key: [UInt8]) { cipher = AES128(key: key) }

    package var codec: String? { "2" }

    package func encryptEventData(_ data: inout WireBuffer, factor: UInt8) {
        let bytes = cipher.encryptCBC(data.bytes, vector: Self.vector(factor))
        data.removeAll()
        data.append(contentsOf: bytes)
    }

    package func encryptLocalData(_ data: [UInt8]) -> [UInt8] {
        cipher.encryptCBC(data, vector: Self.vector(Self.localFactor))
    }

    package func decryptLocalData(_ data: [UInt8]) -> [UInt8] {
        cipher.decryptCBC(data, vector: Self.vector(Self.localFactor)) ?? []
    }

    /// The initialization vector for a factor.
    package static func vector(_ factor: UInt8) -> [UInt8] { [UInt8](repeating: factor, count: 16) }
}

/// The SDK's own network service.
package struct GrowingURLSession: GrowingNetworkService {
    package init() {}
    package var timeout: Interval? { nil }
    package func prepare(_ head: inout RequestHead) {}
}
