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
        for (index, name) in zip(populations, names) {
            let own =
                registrations.last { $0.population == name } ?? registrations.last { $0.population == nil }
            if let own { register(own.services, at: index) }
        }
        try checkCodecs(populations, path: path)
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
    private func checkCodecs(_ populations: [Int], path: String) throws(CommandFailure) {
        var seen: [String: (population: Int, kind: String)] = [:]
        for index in populations {
            guard let rules = document.populations[index].system as? GrowingRules else { continue }
            let plugins = document.populations[index].plugins as? GrowingPlugins ?? GrowingPlugins()
            let service = GrowingServices(rules: rules, plugins: plugins).encryption
            guard let service, let codec = service.codec else { continue }
            let registered = service as? RegisteredEncryption
            let kind = registered.map { "\(type(of: $0.service))" } ?? "\(type(of: service))"
            let place = "\(path): the encryption \(kind) of \(document.publicNames[index])"
            guard registered == nil || RegisteredEncryption.isCodec(codec) else {
                throw CommandFailure(
                    .invalidScenario,
                    "\(place): found the codec \"\(codec)\", allowed are 1 to 64 letters, digits, \".\", \"_\" and \"-\""
                )
            }
            if let other = seen[codec], other.kind != kind {
                throw CommandFailure(
                    .invalidScenario,
                    "\(place): the codec \"\(codec)\" is that of \(other.kind) in "
                        + "\(document.publicNames[other.population]) too: a collector could not tell which to take off"
                )
            }
            seen[codec] = (index, kind)
        }
    }
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
