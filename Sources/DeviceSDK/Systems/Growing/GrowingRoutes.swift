import DeviceSDK

/// The channels in force, and which events go through which.
struct GrowingRoutes: Sendable {
    let channels: [GrowingChannel]
    /// By channel: how it speaks, and the template of its path.
    let dialects: [GrowingChannel.Dialect]
    let paths: [String]
    /// By template: the channel that its events are stored for; `nil` if no channel has the type, in which
    /// case 4.x has no store for it.
    let channelOf: [UInt8?]
    /// By channel and template: whether the channel sends the event. A channel of custom events sends
    /// everything in the realtime store.
    private let takes: [[Bool]]

    /// Channels that fit into the device's note of who is uploading.
    static let limit = 32

    /// - Parameter interceptors: In the order in which they are asked.
    init(rules: GrowingRules, templates: GrowingTemplates, interceptors: [any GrowingInterceptor]) {
        var channels = GrowingChannel.standard(rules.version)
        if !rules.isVersion4 {
            // Interceptors see the channels before the one for all the rest is added behind them.
            let rest = channels.removeLast()
            for interceptor in interceptors { interceptor.channels(&channels) }
            channels = Array(channels.prefix(Self.limit - 1)) + [rest]
        }
        self.channels = channels
        dialects = channels.map(rules.dialect)
        paths = channels.map(rules.path)
        // A type in several channels belongs to the last of them (`eventChannelMapFromAllChannels:`).
        var byType: [String: UInt8] = [:]
        for (index, channel) in channels.enumerated() {
            for type in channel.types { byType[type] = UInt8(index) }
        }
        let rest = rules.isVersion4 ? nil : UInt8(channels.count - 1)
        channelOf = templates.all.map { byType[$0.typeName] ?? rest }
        takes = channels.enumerated().map { index, channel in
            templates.all.map { template in
                if channel.isCustom { return true }
                return channel.types.isEmpty
                    ? byType[template.typeName] == nil : channel.types.contains(template.typeName)
            }
        }
    }

    func takes(_ template: UInt16, channel: Int) -> Bool { takes[channel][Int(template)] }

    /// Whether events of an own type have the second protocol's short names: their channel's dialect says so.
    func isShort(_ type: String) -> Bool {
        channels.indices.last { channels[$0].types.contains(type) }.map { dialects[$0] == .v2 } ?? false
    }
}

/// Paths of requests: the server's address is the target's, what follows is a channel's template.
struct GrowingEndpoints: Sendable {
    /// `accountId` of the SDK's configuration.
    let account: String
    /// What stands before `v3/projects/…` in the target's path.
    private let prefix: String
    /// The target's path where it is none of GrowingIO's: all channels of the SDK's own go there.
    private let fixedPath: String?
    /// The target's own query, with `&` behind it.
    private let query: String
    private let target: PopulationPlan.Target

    init(target: PopulationPlan.Target, rules: GrowingRules) {
        let address = target.pathAndQuery
        let path = String(address.prefix { $0 != "?" && $0 != "#" })
        let own = address.dropFirst(path.count).prefix { $0 != "#" }.dropFirst()
        query = own.isEmpty ? "" : own + "&"
        self.target = target
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count >= 5, parts[parts.count - 1] == "collect", parts[parts.count - 3] == "projects",
            parts[parts.count - 4] == "v3"
        {
            account = String(parts[parts.count - 2])
            prefix = parts.dropLast(4).joined(separator: "/") + "/"
            fixedPath = nil
        } else {
            account = rules.accountId
            prefix = "/"
            fixedPath = path.isEmpty ? "/" : path
        }
    }

    /// A request's own lines with those that the scenario adds.
    func headerLines(after own: String) -> String { target.headerLines(after: own) }

    /// Path and query of a request.
    ///
    /// - Parameters:
    ///   - path: See ``path(template:)``.
    ///   - stm: The device's clock in milliseconds when the request was made.
    func path(_ path: String, stm: Int64) -> String { "\(path)?\(query)stm=\(stm)" }

    /// The path alone: a template's query, such as `stm=%llu`, is every request's anyway.
    func path(template: String) -> String {
        if let fixedPath, template == GrowingChannel.template { return fixedPath }
        let bare = template.prefix { $0 != "?" }
        return prefix
            + bare.split(separator: "%@", maxSplits: 1, omittingEmptySubsequences: false)
            .joined(separator: account)
    }
}
