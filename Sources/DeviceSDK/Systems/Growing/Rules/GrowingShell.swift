import DeviceSDK

/// What an SDK is put together from: a shell, the modules and services that come with it, and options of
/// the build. The published text's tables ("模块", "服务", "外壳", "配置项").
extension GrowingRules {
    /// `GrowingTracker` or `GrowingAutotracker`: an interface class with its modules and services.
    package enum Shell: String, CaseIterable, Sendable {
        /// Events of the app's own calls only.
        case tracker
        /// Also pages and clicks.
        case autotracker

        /// The modules that come with the shell.
        package var defaultModules: Set<Module> {
            switch self {
            case .tracker: [.mobileDebugger]
            case .autotracker: [.hybrid, .mobileDebugger, .webCircle]
            }
        }
    }

    /// A business unit that can be left out or added.
    package enum Module: String, CaseIterable, Sendable {
        /// Events of pages in web views come over a bridge.
        case hybrid
        /// Speaks to a debugger over a WebSocket: sends no events, so nothing of it is simulated.
        case mobileDebugger
        /// Shows the app in a browser over a WebSocket: sends no events, so nothing of it is simulated.
        case webCircle

        /// Whether the module does anything that a collector sees.
        package var isSimulated: Bool { self == .hybrid }
    }

    /// What the app changes about its shell's modules.
    package struct ModuleChanges: Hashable, Sendable {
        package var added: Set<Module> = []
        package var removed: Set<Module> = []
    }

    /// The modules in force.
    package var activeModules: Set<Module> {
        shell.defaultModules.union(modules.added).subtracting(modules.removed)
    }

    /// Implementations by name. `nil` is the SDK's own, which 3.2.1 uses only if it was built with
    /// ``BuildFlag/encryption``, 4.x only if the app switches it on, and the published text unless it was built
    /// with that flag.
    package struct Services: Hashable, Sendable {
        package var compression: Compression?
        package var encryption: Encryption?
        /// Without a network service nothing is sent; in 3.x the channel then counts as uploading for
        /// ever.
        package var network = true
        /// Without a database service nothing is kept: custom events are lost, in 4.x all. 3.x still sends
        /// the others from its queue in memory, which the first answer after which anything is left in it
        /// empties.
        package var database = true
        /// The key of ``Encryption/aes``, sixteen bytes.
        package var aesKey = Array("beaconswarm-aes1".utf8)

        package enum Compression: String, CaseIterable, Sendable {
            case none, lz4, snappy
        }

        package enum Encryption: String, CaseIterable, Sendable {
            case none, xor, aes
        }
    }

    /// Options of the pod.
    package enum BuildFlag: String, CaseIterable, Sendable {
        /// No code that asks for the advertising identifier.
        case disableIDFA = "DISABLE_IDFA"
        /// `GROWING_ANALYSIS_ENABLE_ENCRYPTION`: turns compression and encryption on. In the published text
        /// it is the other way round: "禁用数据加密，使用明文", so bodies are plain with it and coded without. 4.x has
        /// no such option: the app switches them on.
        case encryption = "ENABLE_ENCRYPTION"
    }

    /// Whether the SDK as it was built compresses and encrypts.
    private var codesBodies: Bool {
        switch version {
        case .v3: buildFlags.contains(.encryption)
        case .v4: false
        case .document: !buildFlags.contains(.encryption)
        }
    }

    /// The compression in force.
    package var compression: Services.Compression {
        services.compression ?? (codesBodies ? .lz4 : .none)
    }

    /// The encryption in force.
    package var encryption: Services.Encryption {
        services.encryption ?? (codesBodies ? .xor : .none)
    }
}
