import CollectorModel
import DeviceSDK
import GrowingSDK
import Reporting
import Scenario

extension LoadedScenario {
    /// Puts registered services into the populations that they are for.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for a name that no population of GrowingIO's has, and for a codec that
    ///   is no token of a header or means two things.
    mutating func register(_ registrations: [Registration], path: String) throws(CommandFailure) {
        guard !registrations.isEmpty else { return }
        let populations = document.populations.indices.filter { document.populations[$0].isGrowing }
        let names = populations.map { document.populations[$0].name }
        for name in registrations.map(\.population) where name.map({ !names.contains($0) }) ?? names.isEmpty {
            let whose = name.map { "for \"\($0)\"" } ?? "for all populations"
            let known = names.isEmpty ? "this scenario has none" : names.joined(separator: ", ")
            throw CommandFailure(
                .invalidScenario,
                "\(path): services are registered \(whose); allowed are populations with the system growing: \(known)"
            )
        }
        var used: [Int: Int] = [:]
        for (index, name) in zip(populations, names) {
            let own =
                registrations.lastIndex { $0.population == name }
                ?? registrations.lastIndex { $0.population == nil }
            used[index] = own
            if let own { register(registrations[own].services, at: index) }
        }
        try checkCodecs(populations, registrations: used, path: path)
    }

    private mutating func register(_ services: SDKServices, at index: Int) {
        guard var rules = document.populations[index].system as? GrowingRules else { return }
        let plugins = GrowingPlugins(services)
        databases[index] = services.database
        if services.database != nil { rules.services.database = true }
        if !plugins.modules.isEmpty { rules.registeredTemplates = plugins.templates(for: rules) }
        document.populations[index].system = rules
        document.populations[index].plugins = plugins
        if let encryption = services.encryption { document.growingCiphers.register(encryption) }
        // A report tells everything that made it what it is.
        let parts =
            [services.encryption.map { "encryption=\(type(of: $0))" }]
            + services.interceptors.map { "interceptors+=\(type(of: $0))" }
            + [services.database.map { _ in "database=the program's own" }]
        reference.overrides += parts.compactMap { $0 }.map { "code /populations/\(index)/sdk/services/\($0)" }
    }

    /// A collector takes encryptions off by their codecs alone, so each has to mean one.
    ///
    /// - Parameter registrations: The number of the registration that a population uses.
    private func checkCodecs(
        _ populations: [Int], registrations: [Int: Int], path: String
    ) throws(CommandFailure) {
        var seen: [String: UsedEncryption] = [:]
        for index in populations {
            guard let rules = document.populations[index].system as? GrowingRules else { continue }
            let plugins = document.populations[index].plugins as? GrowingPlugins ?? GrowingPlugins()
            let service = GrowingServices(rules: rules, plugins: plugins).encryption
            guard let service, let codec = service.codec else { continue }
            let used = UsedEncryption(
                population: index, registration: registrations[index],
                registered: (service as? RegisteredEncryption)?.service, builtIn: "\(type(of: service))")
            let place = "\(path): the encryption \(used.kind) of \(document.publicNames[index])"
            guard used.registered == nil || RegisteredEncryption.isCodec(codec) else {
                throw CommandFailure(
                    .invalidScenario,
                    "\(place): found the codec \"\(codec)\", allowed are 1 to 64 letters, digits, \".\", \"_\" and \"-\""
                )
            }
            if let other = seen[codec], !used.isSame(as: other) {
                let advice =
                    used.kind == other.kind
                    ? "; two registrations may share it if \(used.kind) is Equatable and they are equal" : ""
                throw CommandFailure(
                    .invalidScenario,
                    "\(place): the codec \"\(codec)\" is that of \(other.kind) in "
                        + "\(document.publicNames[other.population]) too: a collector could not tell which to take off"
                        + advice)
            }
            seen[codec] = used
        }
    }
}

/// The encryption of a population.
private struct UsedEncryption {
    var population: Int
    /// The number of the population's registration; `nil` if it has none.
    var registration: Int?
    /// `nil` for one of the SDK's.
    var registered: (any EncryptionService)?
    /// The name of the SDK's.
    var builtIn: String

    var kind: String { registered.map { "\(type(of: $0))" } ?? builtIn }

    /// Whether what the one encrypted is certainly decrypted by the other.
    func isSame(as other: UsedEncryption) -> Bool {
        guard let registered, let others = other.registered else {
            return registered == nil && other.registered == nil && builtIn == other.builtIn
        }
        return registration == other.registration || registered.isSame(as: others)
    }
}

extension EncryptionService {
    /// Whether another is the same for all that can be told: without anything stored, the same object, or equal.
    fileprivate func isSame(as other: any EncryptionService) -> Bool {
        guard let other = other as? Self else { return false }
        if MemoryLayout<Self>.size == 0 { return true }
        if let own = self as? any Equatable { return own.isEqual(to: other) }
        return Self.self is AnyClass && self as AnyObject === other as AnyObject
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

extension ScenarioPopulation {
    fileprivate var isGrowing: Bool {
        system is GrowingRules
    }
}

extension RegisteredEncryption {
    /// Whether a text can stand in a header as a codec.
    fileprivate static func isCodec(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
                    || "._-".utf8.contains(byte)
            }
    }
}
