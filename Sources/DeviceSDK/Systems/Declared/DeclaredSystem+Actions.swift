import Accounting
package import AppModel
package import DeviceSDK
import SDKDescription
package import Timebase

/// What the user, the system and the app's code do, and what is captured of it.
extension DeclaredSystem {
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
        case .crash where device.isRunning:
            capture(.crash, on: &device, now: now, effects: &effects)
            die(&device, effects: &effects)
        default:
            if device.isRunning { performInApp(action, on: &device, at: now, effects: &effects) }
        }
    }

    private mutating func performInApp(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if !plan.consents.isEmpty { followConsent(&device, now: now, effects: &effects) }
        switch action {
        case .appear(let screen, _): show(screen, on: &device, at: now, effects: &effects)
        case .disappear: capture(.disappear, on: &device, now: now, effects: &effects)
        case .tap(_, let control):
            let draft = draft(.tap, control: control, on: device)
            captureAll(.tap, draft, on: &device, now: now, effects: &effects)
        case .business(let event, let subject):
            captureOwn(
                .business, templates.business(event), subject, on: &device, now: now, effects: &effects)
        case .profile(let update, let subject):
            captureOwn(
                templates.kinds[Int(templates.profile(update))].action, templates.profile(update), subject,
                on: &device, now: now, effects: &effects)
        case .item(let update, let subject):
            captureOwn(.item, templates.item(update), subject, on: &device, now: now, effects: &effects)
        case .login(let account, _): login(account, on: &device, now: now, effects: &effects)
        case .logout: logout(&device, now: now, effects: &effects)
        default: break
        }
    }

    /// An event of an action on the screen that is there.
    ///
    /// - Parameter control: What is tapped.
    func draft(
        _ action: DescribedSDK.Action, control: UInt16 = .max, on device: borrowing Device
    ) -> DeclaredDraft {
        var draft = DeclaredDraft(templates.action(action), on: device)
        guard action == .tap else { return draft }
        // A tap has its control where other events have the screen before.
        draft.detail = draft.control == .max ? 0 : UInt32(draft.control) + 1
        draft.control = control
        return draft
    }

    private mutating func captureOwn(
        _ action: DescribedSDK.Action, _ template: UInt16, _ subject: UInt32, on device: inout Device,
        now: Instant, effects: inout DeviceEffects
    ) {
        var draft = DeclaredDraft(template, on: device)
        draft.detail = subject
        captureAll(action, draft, on: &device, now: now, effects: &effects)
    }

    private mutating func show(
        _ screen: UInt16, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        let before = device.screen
        var draft = DeclaredDraft(templates.action(.screen), screen: screen)
        draft.control = before
        if templates.isAlone(.screen) {
            (device.screen, device.previousScreen) = (screen, before)
            return capture(draft, on: &device, now: now, effects: &effects)
        }
        for other in templates.before(.screen) {
            captureAlong(other, on: &device, now: now, effects: &effects)
        }
        (device.screen, device.previousScreen) = (screen, before)
        capture(draft, on: &device, now: now, effects: &effects)
        for other in templates.after(.screen) {
            captureAlong(other, on: &device, now: now, effects: &effects)
        }
    }

    // MARK: Lifecycle

    private mutating func launch(
        _ device: inout Device, passive: Bool, now: Instant, effects: inout DeviceEffects
    ) {
        if device.isRunning { die(&device, effects: &effects) }
        device.state = passive ? [.isRunning, .wasInBackground, .isUnseen] : [.isRunning]
        switch sdk.upload.timerRuns {
        case .foreground: break
        case .fromLaunch: if !passive { device.state.insert(.isForeground) }
        case .always: device.state.insert(.runsAlways)
        }
        beginConsent(&device)
        let version = device.epochs.current.appVersion
        let installed = device.installed
        device.installed = version
        fetchConfigs(at: .launch, &device, now: now, effects: &effects)
        beginProcess(&device, now: now, effects: &effects)
        if installed == .max {
            if device.epochs.current.installation > 0 { device.epochs.change { $0.anonymousSince = now } }
            capture(.install, on: &device, now: now, effects: &effects)
        } else if installed != version {
            capture(.update, on: &device, now: now, effects: &effects)
        }
        capture(passive ? .passiveLaunch : .launch, on: &device, now: now, effects: &effects)
        switch sdk.upload.onLaunch {
        case .byUser where !passive, .all: beginFlush(&device, .launch, due: now, now: now, effects: &effects)
        case .never, .byUser: break
        }
        if sdk.upload.timerRuns != .foreground, device.isForeground || sdk.upload.timerRuns == .always {
            startTimer(&device, now: now)
        }
    }

    private mutating func enterForeground(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        let isReturn = device.state.contains(.wasInBackground)
        let isFirst = device.state.contains(.isUnseen)
        device.state.remove([.wasInBackground, .isUnseen])
        device.state.insert(.isForeground)
        if sdk.retry.latch?.until.contains(.foreground) ?? false { device.state.remove(.isLatched) }
        renewSession(&device, now: now, isReturn: isReturn, effects: &effects)
        if countsForegrounds { device.epochs.change { $0.foregrounds &+= 1 } }
        if isReturn {
            fetchConfigs(at: .foreground, &device, now: now, effects: &effects)
            for action in isFirst ? sdk.events.firstForeground : DescribedSDK.Action.returns {
                capture(action, on: &device, now: now, effects: &effects)
            }
            if sdk.upload.onForeground {
                beginFlush(&device, .foreground, due: now, now: now, effects: &effects)
            }
        }
        if sdk.upload.timerRuns != .always { startTimer(&device, now: now) }
        // What came due while the app slept is due now.
        if device.retryDue < .distantFuture { device.retryDue = max(device.retryDue, now) }
    }

    private mutating func enterBackground(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        if countsForegrounds { device.epochs.change { $0.backgrounds &+= 1 } }
        capture(.background, on: &device, now: now, effects: &effects)
        device.state.remove(.isForeground)
        device.state.insert(.wasInBackground)
        device.activeAt = now
        persist(&device)
        if sdk.upload.timerRuns != .always { device.flushDue = .distantFuture }
        if sdk.upload.onBackground {
            beginFlush(&device, .background, due: now, now: now, effects: &effects)
        }
    }

    private func startTimer(_ device: inout Device, now: Instant) {
        guard let interval = interval(of: device), device.flushDue == .distantFuture else { return }
        device.flushDue = now + interval
    }

    // MARK: Identity

    private mutating func login(
        _ account: UInt32, on device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        // The same user again: nothing changes, and nothing is captured.
        guard device.epochs.current.account != account else { return }
        if sdk.identity.login != .none { device.epochs.change { $0.account = account } }
        capture(.login, on: &device, now: now, effects: &effects)
        fetchConfigs(at: .login, &device, now: now, effects: &effects)
    }

    private mutating func logout(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        capture(.logout, on: &device, now: now, effects: &effects)
        if sdk.identity.logout != .none {
            forgetUser(&device, renewsID: sdk.identity.logout == .newAnonymous, now: now)
        }
        fetchConfigs(at: .logout, &device, now: now, effects: &effects)
        if sdk.identity.logoutDeletes {
            clear(&device, as: .lost(.clearedUnsent), effects: &effects)
            device.trimEpochs()
        }
    }
}

/// An event that the SDK begins to build.
struct DeclaredDraft {
    var template: UInt16
    var screen: UInt16
    var control = UInt16.max
    var detail: UInt32 = 0

    init(_ template: UInt16, screen: UInt16) {
        self.template = template
        self.screen = screen
    }

    /// An event on the screen that is there.
    init(_ template: UInt16, on device: borrowing DeclaredDevice) {
        self.init(template, screen: device.screen)
        control = device.previousScreen
    }
}
