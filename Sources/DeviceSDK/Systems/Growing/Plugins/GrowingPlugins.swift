package import DeviceSDK

/// What a program puts in the place of GrowingIO's own parts by code, beside what its scenario says.
package struct GrowingPlugins: SystemPlugins {
    /// The encryption service; `nil` leaves the one that the rules name.
    package var encryption: (any GrowingEncryptionService)?
    /// Modules of the app, initialized in this order, after the scenario's own.
    package var modules: [any GrowingModule] = []
    /// Where interceptors copy events to; `nil` if nobody takes them.
    package var copies: (any GrowingEventCopySink)?

    /// Puts nothing in anything's place.
    package init() {}

    /// The templates of paths to which the modules' channels and requests go, under a version that has such
    /// (3.x and the published text).
    package func templates(for rules: GrowingRules) -> [String] {
        var context = GrowingContext(rules: rules)
        for module in modules { module.initialize(&context) }
        var channels = GrowingChannel.standard(rules.version) + rules.channels
        for interceptor in context.interceptors { interceptor.channels(&channels) }
        let moved = channels.flatMap { channel in
            context.interceptors.compactMap { $0.requestTemplate(for: channel) }
        }
        return channels.map(rules.path) + moved
    }
}

extension PopulationPlan {
    /// What a program puts in the place of GrowingIO's own parts: nothing by default.
    package var growingPlugins: GrowingPlugins {
        get { plugins as? GrowingPlugins ?? GrowingPlugins() }
        set { plugins = newValue }
    }
}

extension GrowingServices {
    /// The implementations that the rules name, and what a program registers in their place.
    package init(rules: GrowingRules, plugins: GrowingPlugins) {
        self.init(rules: rules)
        if let encryption = plugins.encryption { self.encryption = encryption }
    }
}

/// A module whose one purpose is to add interceptors.
package struct GrowingInterceptorModule: GrowingModule {
    private let interceptors: [any GrowingInterceptor]

    /// Makes a module that adds these, in this order.
    package init(_ interceptors: [any GrowingInterceptor]) { self.interceptors = interceptors }

    package func initialize(_ context: inout GrowingContext) {
        for interceptor in interceptors { context.addInterceptor(interceptor) }
    }
}
