import DeviceSDK
import Timebase

/// Starts, ends and the ways between foreground and background.
///
/// Sources: sa-sdk-ios v1.10.17 (`enableAutoTrack:`, `applicationDidBecomeActive:`,
/// `applicationDidEnterBackground:`) and v4.9.1 (`SAAppLifecycle.m`, `SAAutoTrackManager.m`,
/// `SAAppStartTracker.m`, `SensorsAnalyticsSDK.m appLifecycleStateWillChange:`).
extension SensorsSystem {
    /// A cold start. The active configuration is the stored one; debug mode is the app's again.
    mutating func launch(
        _ device: inout Device, passive: Bool, now: Instant, effects: inout DeviceEffects
    ) {
        if device.isRunning { die(&device, effects: &effects) }
        let isFirst = !device.state.contains(.hasLaunched)
        device.state = passive ? [.isRunning, .hasLaunched, .wasInBackground] : [.isRunning, .hasLaunched]
        if device.firstDay == .min { device.firstDay = localDay(now, of: device.index) }
        _ = device.store.open()
        expire(&device, now: now, effects: &effects)
        device.epochs.change { $0.startedPassively = passive }
        // 4.x is active as soon as the process is; 1.x when the app becomes active.
        if isVersion4 && !passive {
            device.state.insert(.isActive)
            device.appEndSince = now
        }
        applyConfig(device.storedConfig, on: &device, now: now, effects: &effects)
        if rules.remoteConfig.fetchOn == .start {
            fetchConfigIfDue(&device, now: now, effects: &effects)
        }
        var draft = EventDraft(passive ? SensorsTemplates.appStartPassively : SensorsTemplates.appStart)
        if isFirst { draft.flags.insert(.firstTime) }
        trackStart(draft, flushes: !passive, on: &device, now: now, effects: &effects)
        if !passive && !isVersion4 && autoTracks(2, device) { device.appEndSince = now }
        if isVersion4 { startTimer(&device, now: now) }
    }

    mutating func enterForeground(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        let isHot = device.state.contains(.wasInBackground)
        let wasActive = device.state.contains(.isActive)
        device.state.remove(.wasInBackground)
        device.state.insert(.isActive)
        device.retry.resume(at: now)
        if isHot {
            device.epochs.change { $0.startedPassively = false }
            applyConfig(device.storedConfig, on: &device, now: now, effects: &effects)
        }
        if !isVersion4 && isDisabled(device) {
            device.flushDue = .distantFuture
            requestFlush(&device, due: now, now: now, effects: &effects)
        }
        let moment = rules.remoteConfig.fetchOn
        if moment == .didBecomeActive || (moment == .start && isHot) {
            fetchConfigIfDue(&device, now: now, effects: &effects)
        }
        if isVersion4 && wasActive { return }
        device.timers.resume(at: now)
        if isHot {
            if isVersion4 { device.appEndSince = now }
            var draft = EventDraft(SensorsTemplates.appStart)
            draft.flags.insert(.resumed)
            trackStart(draft, flushes: true, on: &device, now: now, effects: &effects)
        }
        if !isVersion4 && (isHot || device.appEndSince < .distantFuture) && autoTracks(2, device)
            && !isDisabled(device)
        {
            device.appEndSince = now
        }
        #if PLANTED
            if isHot, Planted.has(.timerLostAfterBackground) { return }
        #endif
        startTimer(&device, now: now)
    }

    private mutating func trackStart(
        _ draft: EventDraft, flushes: Bool, on device: inout Device, now: Instant,
        effects: inout DeviceEffects
    ) {
        capture(draft, on: &device, now: now, effects: &effects)
        if flushes && rules.upload.onLaunch && autoTracks(1, device) && !isDisabled(device) {
            requestFlush(&device, due: now, now: now, effects: &effects)
        }
    }

    mutating func enterBackground(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        device.state.remove(.isActive)
        device.state.insert(.wasInBackground)
        device.flushDue = .distantFuture
        if rules.remoteConfig.fetchOn != .background { device.retryDue = .distantFuture }
        if !isVersion4 { device.epochs.change { $0.startedPassively = false } }
        device.timers.pause(at: now)
        trackEnd(&device, now: now, effects: &effects)
        if rules.upload.onBackground {
            if rules.storage.vacuum { device.state.insert(.wantsVacuum) }
            requestFlush(&device, due: now, now: now, effects: &effects)
        }
        if rules.remoteConfig.fetchOn == .background {
            fetchConfigIfDue(&device, now: now, effects: &effects)
        }
    }

    private mutating func trackEnd(
        _ device: inout Device, flags: SensorsEventFlags = [], now: Instant, effects: inout DeviceEffects
    ) {
        var draft = EventDraft(SensorsTemplates.appEnd, screen: device.currentScreen)
        draft.flags = flags
        if device.appEndSince < .distantFuture {
            draft.setDuration(now - device.appEndSince, isVersion4: isVersion4)
            device.appEndSince = .distantFuture
        }
        capture(draft, on: &device, now: now, effects: &effects)
    }

    /// An uncaught exception: the handler tracks `AppCrashed`, then `$AppEnd` (4.x: if the app is
    /// active), and the process dies. What gets to the store before is on disk; behind
    /// a blocked queue it is not.
    mutating func crash(
        _ device: inout Device, reason: UInt16, now: Instant, effects: inout DeviceEffects
    ) {
        var draft = EventDraft(SensorsTemplates.crashed, screen: device.currentScreen)
        draft.detail = UInt32(reason)
        capture(draft, on: &device, now: now, effects: &effects)
        if !isVersion4 || device.isForeground {
            trackEnd(&device, flags: .crashed, now: now, effects: &effects)
        }
        die(&device, effects: &effects)
    }

    /// Starts the foreground timer. 1.x begins its interval anew, 4.x lets a running timer run.
    mutating func startTimer(_ device: inout Device, now: Instant) {
        guard rules.upload.flushInterval > .zero, !isDisabled(device),
            device.state.contains(.isActive), !isVersion4 || device.flushDue == .distantFuture
        else { return }
        device.flushDue = ticks.next(after: now, index: device.index)
    }
}
