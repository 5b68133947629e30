import CollectorModel
import DeviceSDK
import GrowingSDK
import Wire

/// A registered encryption behind the SDK's own protocol.
struct RegisteredEncryption: GrowingEncryptionService {
    let service: any EncryptionService

    var codec: String? { service.codec }

    func encryptEventData(_ data: inout WireBuffer, factor: UInt8) {
        let bytes = service.encrypt(data.bytes, factor: factor)
        data.removeAll()
        data.append(contentsOf: bytes)
    }

    func encryptLocalData(_ data: [UInt8]) -> [UInt8] { service.encryptLocal(data) }
    func decryptLocalData(_ data: [UInt8]) -> [UInt8] { service.decryptLocal(data) ?? [] }
}

/// A registered interceptor behind the SDK's own protocol.
struct RegisteredInterceptor: GrowingInterceptor {
    let interceptor: any EventInterceptor

    func channels(_ channels: inout [GrowingChannel]) {
        let before = channels
        var changed = before.map(UploadChannel.init)
        interceptor.channels(&changed)
        // A channel that stays as it was keeps what only the SDK knows of it.
        channels = changed.map { channel in
            before.first { UploadChannel($0) == channel }
                ?? GrowingChannel(
                    types: channel.types, template: channel.template, isCustom: channel.isCustom)
        }
    }

    func eventTriggered(_ event: GrowingTriggeredEvent) -> GrowingVerdict {
        GrowingVerdict(interceptor.eventTriggered(TriggeredEvent(event)))
    }

    func eventWillBuild(_ builder: inout GrowingEventBuilder) -> GrowingVerdict {
        change(&builder, interceptor.eventWillBuild)
    }

    func eventDidBuild(_ event: inout GrowingEventBuilder) -> GrowingVerdict {
        change(&event, interceptor.eventDidBuild)
    }

    private func change(
        _ builder: inout GrowingEventBuilder, _ callback: (inout EventFields) -> InterceptorVerdict
    ) -> GrowingVerdict {
        var fields = EventFields(builder)
        let verdict = callback(&fields)
        builder = fields.builder
        return GrowingVerdict(verdict)
    }

    func requestTemplate(for channel: GrowingChannel) -> String? {
        interceptor.requestTemplate(for: UploadChannel(channel))
    }
}

extension GrowingVerdict {
    fileprivate init(_ verdict: InterceptorVerdict) {
        switch verdict {
        case .keep: self = .keep
        case .drop: self = .drop
        }
    }
}

extension GrowingPlugins {
    init(_ services: SDKServices) {
        self.init()
        encryption = services.encryption.map(RegisteredEncryption.init)
        modules =
            services.interceptors.isEmpty
            ? [] : [GrowingInterceptorModule(services.interceptors.map(RegisteredInterceptor.init))]
    }
}

extension GrowingCiphers {
    /// What reads the uploads of a population.
    init(of plan: PopulationPlan) {
        self.init()
        if let own = plan.growingPlugins.encryption as? RegisteredEncryption { register(own.service) }
    }

    mutating func register(_ service: any EncryptionService) {
        self[service.codec] = { service.decrypt($0, factor: $1) }
    }
}
