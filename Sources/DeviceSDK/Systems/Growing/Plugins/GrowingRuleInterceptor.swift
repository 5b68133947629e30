import DeviceSDK

/// An interceptor that a scenario describes.
struct GrowingRuleInterceptor: GrowingInterceptor {
    let rule: GrowingInterceptorRule
    var watchesEvents: Bool { rule.callback != .requestWithChannel }

    func eventTriggered(_ event: GrowingTriggeredEvent) -> GrowingVerdict {
        rule.callback == .eventTriggered && rule.dropsEvent && rule.concerns(event) ? .drop : .keep
    }

    func eventWillBuild(_ builder: inout GrowingEventBuilder) -> GrowingVerdict {
        rule.callback == .eventWillBuild ? change(&builder) : .keep
    }

    func eventDidBuild(_ event: inout GrowingEventBuilder) -> GrowingVerdict {
        rule.callback == .eventDidBuild ? change(&event) : .keep
    }

    private func change(_ builder: inout GrowingEventBuilder) -> GrowingVerdict {
        guard rule.concerns(builder.event) else { return .keep }
        if rule.dropsEvent { return .drop }
        for field in rule.sets { builder[field.key] = .text(field.value) }
        for field in rule.removes { builder[field] = nil }
        return .keep
    }

    func requestTemplate(for channel: GrowingChannel) -> String? {
        guard rule.callback == .requestWithChannel else { return nil }
        return rule.fromTemplate == nil || rule.fromTemplate == channel.template ? rule.toTemplate : nil
    }
}

/// The module behind `sdk.channels`, `sdk.interceptors`: what the scenario adds to the SDK.
struct GrowingScenarioModule: GrowingModule {
    /// Adds the channels of `sdk.channels`, as the published text's example 3.2 does.
    private struct Channels: GrowingInterceptor {
        let added: [GrowingChannel]
        var watchesEvents: Bool { false }
        func channels(_ channels: inout [GrowingChannel]) { channels.append(contentsOf: added) }
    }

    func initialize(_ context: inout GrowingContext) {
        if !context.rules.channels.isEmpty {
            context.addInterceptor(Channels(added: context.rules.channels))
        }
        for rule in context.rules.interceptors { context.addInterceptor(GrowingRuleInterceptor(rule: rule)) }
    }
}

extension GrowingInterceptorRule {
    /// Whether an event is one of those that the interceptor is for.
    func concerns(_ event: GrowingTriggeredEvent) -> Bool {
        (types.isEmpty || types.contains(event.type))
            && (eventNames.isEmpty || eventNames.contains(event.name)) && event.draw < share
    }
}
