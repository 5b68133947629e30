package import AppModel
package import DeviceSDK
package import Timebase

/// What the app's code, its views and the operating system do, as the SDK's hooks see it.
extension SensorsSystem {
    package mutating func perform(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch action {
        case .updateApp(let version): device.epochs.change { $0.appVersion = version }
        case .launch(let passive): launch(&device, passive: passive, now: now, effects: &effects)
        case .enterForeground:
            // A user who opens an app whose process is gone starts it.
            if !device.isRunning { launch(&device, passive: false, now: now, effects: &effects) }
            enterForeground(&device, now: now, effects: &effects)
        case .enterBackground where device.isRunning:
            enterBackground(&device, now: now, effects: &effects)
        case .kill where device.isRunning: die(&device, effects: &effects)
        case .crash(let reason) where device.isRunning:
            crash(&device, reason: reason, now: now, effects: &effects)
        default:
            if device.isRunning { performInApp(action, on: &device, at: now, effects: &effects) }
        }
    }

    private mutating func performInApp(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        var draft: EventDraft
        switch action {
        case .appear(let screen, let referrer):
            showScreen(screen, after: referrer, on: &device, at: now, effects: &effects)
            return
        case .tap(let screen, let control):
            guard hookedViews.isClick(control, on: screen) else { return }
            guard !isRepeatedTap(&device, screen: screen, control: control, now: now) else { return }
            draft = tapDraft(device, screen: screen, control: control)
        case .business(let event, let subject):
            draft = businessDraft(&device, event: event, subject: subject, now: now)
        case .web(let event, let subject):
            guard encoder.acceptsWebEvent(screen: device.currentScreen) else { return }
            draft = EventDraft(templates.business(event), screen: device.currentScreen)
            draft.detail = subject
            if templates.isRepeated(event) { draft.flags.insert(.repeated) }
        case .profile(let update, let subject):
            draft = EventDraft(templates.profile(update), screen: device.currentScreen)
            draft.detail = subject
        case .item(let update, let subject):
            guard templates.capturesItems else { return }
            draft = EventDraft(templates.item(update), screen: device.currentScreen)
            draft.detail = subject
        case .identity(let update):
            guard let event = changeIdentity(update, of: &device) else { return }
            draft = event
        case .login(let account, _):
            login(&device, account: account, now: now, effects: &effects)
            return
        default:
            changeState(action, of: &device, at: now)
            return
        }
        capture(draft, on: &device, now: now, effects: &effects)
    }

    /// What the hooks report when a screen appears: mostly the screen itself.
    private mutating func showScreen(
        _ screen: UInt16, after before: UInt16?, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        device.currentScreen = screen
        for index in hookedViews.reported(of: screen) {
            let page = hookedViews[index]
            var draft = EventDraft(SensorsTemplates.viewScreen, screen: page)
            draft.control = referrer(before, on: &device, of: page)
            capture(draft, on: &device, now: now, effects: &effects)
        }
    }

    /// Calls that capture nothing. A disabled SDK hands out no instance (`sharedInstance` is nil), so
    /// they do nothing then.
    private mutating func changeState(_ action: UserAction, of device: inout Device, at now: Instant) {
        guard !isDisabled(device) else { return }
        switch action {
        case .logout: logout(&device)
        case .registerSuperProperties(let group):
            device.epochs.change { $0.superGroups |= 1 << UInt64(group & 63) }
        case .beginTimed(let event):
            device.timers.begin(event, at: now)
        default: break
        }
    }

    /// 4.9.1 drops a tap less than 0.1 s after the last one on the same view, before it builds
    /// anything (`SAAutoTrackUtils isValidAppClickForObject:`); rows of lists are not asked.
    private mutating func isRepeatedTap(
        _ device: inout Device, screen: UInt16, control: UInt16, now: Instant
    ) -> Bool {
        guard isVersion4, plan.app.screens[Int(screen)].controls[Int(control)].position == nil else {
            return false
        }
        if device.lastTap == (screen, control) && now - device.lastTapAt < .milliseconds(100) { return true }
        device.lastTap = (screen, control)
        device.lastTapAt = now
        return false
    }

    private mutating func tapDraft(_ device: borrowing Device, screen: UInt16, control: UInt16) -> EventDraft
    {
        var draft = EventDraft(SensorsTemplates.click, screen: screen)
        draft.control = control
        let draws = streams.stream(.screens, index: Int(device.index)).child(UInt64(device.nextSequence))
        draft.detail = hookedViews.tapped(control, on: screen, draws)
        return draft
    }

    private mutating func businessDraft(
        _ device: inout Device, event: UInt16, subject: UInt32, now: Instant
    ) -> EventDraft {
        var draft = EventDraft(templates.business(event), screen: device.currentScreen)
        draft.detail = subject
        if templates.isRepeated(event) { draft.flags.insert(.repeated) }
        let origin = plan.app.events[Int(event)].variant?.origin ?? event
        guard !isDisabled(device), let duration = device.timers.end(origin, at: now) else { return draft }
        draft.setDuration(duration, isVersion4: isVersion4)
        return draft
    }
}

/// An event that the SDK begins to build.
struct EventDraft {
    var template: UInt16
    var screen: UInt16
    var control = UInt16.max
    var detail: UInt32 = 0
    var flags: SensorsEventFlags = []
    /// Built whatever the configuration says (`$AppRemoteConfigChanged`).
    var ignoresConfig = false

    /// The entity that a business event, a profile or an item speaks of.
    var subject: UInt32 {
        guard flags.contains(.timed), !flags.contains(.wide) else { return detail }
        return control == .max ? 0 : UInt32(control)
    }

    init(_ template: UInt16, screen: UInt16 = .max) {
        self.template = template
        self.screen = screen
    }

    /// Sets `event_duration`. Out of the range (0, 24 h), 1.x leaves it out and 4.x writes 0.
    mutating func setDuration(_ duration: Interval, isVersion4: Bool) {
        let milliseconds = duration.milliseconds
        let isInRange = milliseconds > 0 && milliseconds < 86_400_000
        guard isInRange || isVersion4 else { return }
        flags.insert(.timed)
        guard template != SensorsTemplates.appEnd else {
            detail = isInRange ? UInt32(milliseconds) : 0
            return
        }
        let timed = TimedSubject(detail, milliseconds: isInRange ? milliseconds : 0)
        if timed.isWide { flags.insert(.wide) }
        (control, detail) = (timed.control, timed.detail)
    }
}
