package import DeviceSDK
import Timebase
import World

/// The remote configuration: when it is fetched, and what an answer changes.
extension SensorsSystem {
    /// A moment at which the SDK fetches, unless its random interval has not passed yet (4.9.1;
    /// `SARemoteConfigCommonOperator tryToRequestRemoteConfig`). The next interval is drawn when the
    /// fetch begins, and on no condition that it succeeds.
    mutating func fetchConfigIfDue(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        let config = rules.remoteConfig
        guard config.enabled else { return }
        if config.maximumInterval > .zero && config.maximumInterval >= config.minimumInterval {
            guard now >= device.nextFetchAt else { return }
            let spread = (config.maximumInterval - config.minimumInterval).nanoseconds / 1_000_000_000
            var stream = draw(&device, .remoteConfig)
            let seconds = stream.below(UInt64(spread) + 1)
            device.nextFetchAt = now + config.minimumInterval + .seconds(Int64(seconds))
        }
        fetchConfig(&device, attempt: 0, now: now, effects: &effects)
    }

    /// Asks for the configuration; 4.9.1 does not even try without a network.
    mutating func fetchConfig(
        _ device: inout Device, attempt: UInt8, now: Instant, effects: inout DeviceEffects
    ) {
        if isVersion4 && device.epochs.current.network == .none {
            retryFetch(of: &device, after: attempt, now: now)
            return
        }
        var request = SensorsRequest(
            number: RequestNumber(kind: .config, number: device.fetchCount), plannedAt: now)
        request.attempt = attempt
        device.fetchCount += 1
        device.requests.append(request)
        startRequests(of: &device, effects: &effects)
    }

    /// The next try after a failed one, unless it was the last or the app is in the background,
    /// where pending tries are cancelled.
    private func retryFetch(of device: inout Device, after attempt: UInt8, now: Instant) {
        let config = rules.remoteConfig
        let isCancelled =
            config.fetchOn != .background && !device.isForeground
            && !device.epochs.current.startedPassively
        guard Int(attempt) + 1 < config.attempts, !isCancelled else { return }
        device.retryAttempt = attempt + 1
        device.retryDue = now + config.retryDelay
    }

    /// The version that the query names is that of the configuration in force.
    package func askedConfig(_ request: RequestNumber, of device: borrowing Device) -> AskedConfig? {
        AskedConfig(number: 0, version: configs[Int(device.activeConfig)].config.version, neutral: [])
    }

    mutating func completeFetch(
        _ request: SensorsRequest, of device: inout Device, outcome: RequestOutcome, now: Instant,
        effects: inout DeviceEffects
    ) {
        switch outcome {
        case .answered(200, let body, _, _):
            // A body that is no JSON object counts as success and changes nothing.
            guard let config = SensorsConfig(body: body, parser: parser, isVersion4: isVersion4) else {
                return
            }
            receive(config, on: &device, now: now, effects: &effects)
        case .answered(304, _, _, _): break
        case .answered, .failed: retryFetch(of: &device, after: request.attempt, now: now)
        }
    }

    /// A new configuration is tracked, then stored, and takes effect now or at the next start.
    private mutating func receive(
        _ config: SensorsConfig, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        let index = intern(config)
        if isVersion4 {
            var draft = EventDraft(SensorsTemplates.remoteConfigChanged, screen: device.currentScreen)
            draft.detail = UInt32(index)
            draft.ignoresConfig = true
            capture(draft, on: &device, now: now, effects: &effects)
            requestFlush(&device, due: now, now: now, effects: &effects)
        } else if config.disablesSDK && !isDisabled(device) {
            let draft = EventDraft(SensorsTemplates.disableSDK, screen: device.currentScreen)
            capture(draft, on: &device, now: now, effects: &effects)
        }
        device.storedConfig = index
        if config.takesEffectNow { applyConfig(index, on: &device, now: now, effects: &effects) }
    }

    /// Puts a configuration into force. 4.9.1 flushes what is stored when it is switched off, and
    /// starts the timer when it is not (`remoteConfigManagerModelChanged:`); 1.10.17 does the like
    /// when the app becomes active.
    mutating func applyConfig(
        _ index: UInt16, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        device.activeConfig = index
        let config = configs[Int(index)].config
        if config.disablesDebugMode { device.state.insert(.debugIsOff) }
        guard isVersion4, rules.remoteConfig.enabled else { return }
        if config.disablesSDK {
            device.flushDue = .distantFuture
            requestFlush(&device, due: now, now: now, effects: &effects)
        } else {
            startTimer(&device, now: now)
        }
    }

    /// The number of a configuration in the system's table.
    private mutating func intern(_ config: SensorsConfig) -> UInt16 {
        if let known = configIndices[config] { return known }
        let index = UInt16(truncatingIfNeeded: min(configs.count, Int(UInt16.max)))
        if Int(index) < configs.count { return index }
        configs.append(SensorsConfigEntry(config, templates: templates))
        encoder.addRemoteConfig(config.text)
        configIndices[config] = index
        return index
    }
}
