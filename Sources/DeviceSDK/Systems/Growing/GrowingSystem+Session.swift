import DeviceSDK
import Timebase

/// Starts, sessions and users.
///
/// Sources: `GrowingRealTracker.m`, `GrowingTracker.m startWithConfiguration:`, `GrowingSession.m` of both
/// versions.
extension GrowingSystem {
    mutating func live(
        _ moment: GrowingCapture.Lifecycle, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        switch moment {
        case .launch: launch(&device, at: now, effects: &effects)
        case .becomeActive: becomeActive(&device, at: now, effects: &effects)
        case .resignActive: device.resignedAt = now
        case .enterBackground: enterBackground(&device, at: now, effects: &effects)
        // Waits until the SDK's thread has done what it was asked for, which here is always the case. The
        // write buffer stays as it is: entering the background has written it.
        case .terminate: break
        }
    }

    /// A cold start: opens the stores, initializes the modules, and posts the first VISIT. Nothing asks whether the
    /// app is in front: `appState` is FOREGROUND until it is first left (`GrowingDeviceInfo.m updateAppState`).
    private mutating func launch(_ device: inout Device, at now: Instant, effects: inout DeviceEffects) {
        device.processCount += 1
        let isFirst = !device.state.contains(.hasLaunched)
        device.state = [.isRunning, .hasLaunched]
        device.latestUser = device.epochs.current.account
        openStores(of: &device, now: now, effects: &effects)
        readTraffic(of: &device)
        let process = interceptors.count > 1 ? device.processCount : 0
        device.epochs.change {
            $0.process = process
            $0.hasLocation = false
            $0.generalProperties = 0
            $0.pageShownAt = .distantFuture
            $0.containerShownAt = .distantFuture
            $0.lastPage = GrowingTemplates.none
        }
        startTimer(of: &device, at: now)
        refreshSession(of: &device)
        visit(&device, at: now, effects: &effects)
        post(.launch, isFirst: isFirst, on: &device, at: now, effects: &effects)
    }

    private mutating func becomeActive(
        _ device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        let isReturn = device.state.contains(.wasInBackground)
        device.state.insert(.isActive)
        device.state.remove(.isInBackground)
        resumeTimer(of: &device, at: now)
        device.retry.resume(at: now)
        // Before the first time in the background nothing is compared, however long ago the start was.
        if device.resignedAt != Device.never, now - device.resignedAt >= rules.sessionInterval {
            refreshSession(of: &device)
            visit(&device, at: now, effects: &effects)
        }
        device.timers.resume(at: now)
        if isReturn { post(.foreground, on: &device, at: now, effects: &effects) }
        if rules.collectsLocation && !device.state.contains(.hasLocation) {
            setLocation(of: &device, at: now, effects: &effects)
        }
    }

    private mutating func enterBackground(
        _ device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.state.remove(.isActive)
        device.state.formUnion([.wasInBackground, .isInBackground])
        device.resignedAt = now
        post(GrowingDraft(GrowingTemplates.appClosed), on: &device, at: now, effects: &effects)
        post(.background, on: &device, at: now, effects: &effects)
        flush(.timing, of: &device, effects: &effects)
        device.timers.pause(at: now)
        if rules.upload.onBackground { sendAll(&device, due: now, now: now, effects: &effects) }
        if !rules.upload.whileInBackground { device.tickDue = .distantFuture }
    }

    /// `refreshSessionId`.
    private mutating func refreshSession(of device: inout Device) {
        let session = device.sessionCount
        device.sessionCount += 1
        device.epochs.change { $0.session = session }
        device.state.remove(.hasVisit)
    }

    /// `generateVisit`: nothing begins to be built where nothing may be collected.
    mutating func visit(_ device: inout Device, at now: Instant, effects: inout DeviceEffects) {
        guard rules.dataCollectionEnabled else { return }
        device.state.insert(.hasVisit)
        post(GrowingDraft(GrowingTemplates.visit), on: &device, at: now, effects: &effects)
        post(.visit, on: &device, at: now, effects: &effects)
    }

    /// `setLoginUserId:`. Another user than the last one begins a session, whether or not there was a logout
    /// in between; 3.x also posts a VISIT for the very first login.
    mutating func login(
        _ device: inout Device, account: UInt32, at now: Instant, effects: inout DeviceEffects
    ) {
        guard device.epochs.current.account != account else { return }
        device.epochs.change { $0.account = account }
        let former = device.latestUser
        device.latestUser = account
        if let former, former != account {
            refreshSession(of: &device)
            visit(&device, at: now, effects: &effects)
        } else if former == nil, !rules.isVersion4 {
            visit(&device, at: now, effects: &effects)
        }
        post(.login, on: &device, at: now, effects: &effects)
    }

    /// `setLocation:longitude:`: 3.x posts a VISIT when there was none before.
    private mutating func setLocation(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.state.insert(.hasLocation)
        device.epochs.change { $0.hasLocation = true }
        if !rules.isVersion4 { visit(&device, at: now, effects: &effects) }
    }

    /// Posts the app's own events that belong to a moment.
    private mutating func post(
        _ moment: GrowingOwnEvent.Moment, isFirst: Bool = false, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        for (number, event) in rules.events.enumerated() {
            let isMeant = event.moment == moment || isFirst && event.moment == .firstLaunch
            guard isMeant else { continue }
            var chance = streams.stream(.business, index: Int(device.index))
                .child(8 << 32 | UInt64(device.nextSequence)).child(UInt64(number))
            guard chance.chance(event.chance) else { continue }
            post(GrowingDraft(templates.own(number)), on: &device, at: now, effects: &effects)
        }
    }
}

/// The timer: `dispatch_source_set_timer` with a first tick, an interval and a leeway.
extension GrowingSystem {
    private mutating func startTimer(of device: inout Device, at now: Instant) {
        device.firstTick = now + rules.upload.firstFlush
        device.tickDue =
            rules.upload.whileInBackground || device.state.contains(.isActive)
            ? delayed(device.firstTick, of: device) : .distantFuture
    }

    /// The process goes on: of the ticks that it slept through, if any, one is made up for at once.
    private mutating func resumeTimer(of device: inout Device, at now: Instant) {
        guard device.tickDue == .distantFuture else { return }
        // One that never slept waits for its first tick.
        let since = max(device.resignedAt, device.firstTick)
        device.tickDue = max(now, tick(notBefore: since, of: device))
    }

    /// The first tick that is not before a moment; one of the grid that was before may be late enough.
    mutating func tick(notBefore moment: Instant, of device: borrowing Device) -> Instant {
        let interval = max(1, rules.upload.flushInterval.nanoseconds)
        let passed = max(0, (moment - device.firstTick).nanoseconds)
        let tick = delayed(
            device.firstTick + Interval(nanoseconds: passed / interval * interval), of: device)
        return tick < moment ? nextTick(after: moment, of: device) : tick
    }

    /// The first tick of the grid after a moment.
    mutating func nextTick(after moment: Instant, of device: borrowing Device) -> Instant {
        let interval = max(1, rules.upload.flushInterval.nanoseconds)
        let passed = (moment - device.firstTick).nanoseconds
        guard passed >= 0 else { return delayed(device.firstTick, of: device) }
        let tick = device.firstTick + Interval(nanoseconds: (passed / interval + 1) * interval)
        return delayed(tick, of: device)
    }

    /// The leeway that the system takes; less than an interval.
    private mutating func delayed(_ tick: Instant, of device: borrowing Device) -> Instant {
        let most = min(rules.upload.jitter, rules.upload.flushInterval - .milliseconds(1))
        guard most > .zero else { return tick }
        let number = UInt64(bitPattern: (tick - device.firstTick).nanoseconds)
        var draw = streams.stream(.retries, index: Int(device.index))
            .child(UInt64(device.processCount)).child(number)
        return tick + Interval(nanoseconds: Int64(draw.uniform() * Double(most.nanoseconds)))
    }
}
