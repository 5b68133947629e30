package import AppModel
package import DeviceSDK
package import Timebase

/// What the app's code, its views and the operating system do, as the SDK's hooks see it.
extension GrowingSystem {
    package mutating func perform(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch action {
        case .updateApp(let version): device.epochs.change { $0.appVersion = version }
        case .launch, .enterForeground, .enterBackground, .appear, .disappear, .tap:
            // A process that the user starts anew while the SDK still has one: the system killed it silently.
            if case .launch = action, device.isRunning { die(&device, effects: &effects) }
            trace(action, on: &device, at: now, effects: &effects)
            if case .appear(let screen, _) = action, device.isRunning {
                showWebPage(screen, on: &device, at: now, effects: &effects)
            }
        // The SDK has no handler for exceptions: a crash is a kill to it.
        case .kill, .crash:
            guard device.isRunning else { return }
            trace(action, on: &device, at: now, effects: &effects)
            die(&device, effects: &effects)
        default: if device.isRunning { performInApp(action, on: &device, at: now, effects: &effects) }
        }
    }

    /// UIKit calls, and the hooks make of it what they do.
    package mutating func handle(
        _ call: UIKitCall, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        // Of the rules one flag is handed over: a copy of them all costs more than what is done with it.
        guard
            let capture = GrowingCapture(call, views: views, hooks: hooks, isVersion4: rules.isVersion4)
        else { return }
        perform(capture, on: &device, at: now, effects: &effects)
    }

    private mutating func perform(
        _ capture: GrowingCapture, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch capture {
        case .lifecycle(let moment): live(moment, on: &device, at: now, effects: &effects)
        case .page(let view): showPage(view, on: &device, at: now, effects: &effects)
        case .click(let view), .change(let view):
            var isChange = false
            if case .change = capture { isChange = true }
            var draft = GrowingDraft(isChange ? GrowingTemplates.viewChange : GrowingTemplates.viewClick)
            (draft.screen, draft.control, draft.detail) = (view.screen, view.node, view.detail)
            post(draft, on: &device, at: now, effects: &effects)
        }
    }

    /// A view controller has appeared: its page is the one of all that follows on it.
    private mutating func showPage(
        _ view: ViewReference, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        let isContainer = views.node(view).kind.isContainer
        if !rules.isVersion4 {
            device.epochs.change {
                if isContainer { $0.containerShownAt = now } else { $0.pageShownAt = now }
            }
        }
        // Tracked or not: a page says nothing of where it comes from if that is not (`findProbableReferralPage:`).
        let former = device.lastController
        device.lastController = UInt32(view.screen) << 16 | UInt32(view.node)
        guard encoder.viewFields.pagePath(view.screen, view.node) != nil else { return }
        var draft = GrowingDraft(GrowingTemplates.page)
        (draft.screen, draft.control, draft.detail) = (view.screen, view.node, former)
        post(draft, on: &device, at: now, effects: &effects)
    }

    /// A page in a web view tells of itself over the bridge of `hybrid`. The page's web view counts as one
    /// that the module knows, whatever its class.
    private mutating func showWebPage(
        _ screen: UInt16, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        guard hasHybrid, encoder.viewFields.webPage(screen) != nil else { return }
        // The page's own time, which is that of the controller around it.
        if !rules.isVersion4 { device.epochs.change { $0.pageShownAt = now } }
        var draft = GrowingDraft(GrowingTemplates.webPage)
        draft.screen = screen
        post(draft, on: &device, at: now, effects: &effects)
    }

    private mutating func performInApp(
        _ action: UserAction, on device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        switch action {
        case .business(let event, let subject):
            let draft = businessDraft(&device, event: event, subject: subject, now: now)
            post(draft, on: &device, at: now, effects: &effects)
        case .web(let event, let subject):
            actOnWebPage(event, subject, on: &device, at: now, effects: &effects)
        case .beginTimed(let event) where rules.isVersion4 && rules.dataCollectionEnabled:
            device.timers.begin(event, at: now)
        case .login(let account, _): login(&device, account: account, at: now, effects: &effects)
        case .logout: device.epochs.change { $0.account = nil }
        case .profile(let update, let subject):
            setAttributes(update, subject, on: &device, at: now, effects: &effects)
        case .registerSuperProperties(let group) where rules.isVersion4:
            device.epochs.change { $0.generalProperties |= 1 << UInt64(group & 63) }
        case .registerSuperProperties(let group):
            post(GrowingDraft(templates.variables(group)), on: &device, at: now, effects: &effects)
        // The SDK for apps has no items.
        default: break
        }
    }

    /// `trackCustomEvent:withAttributes:`, or `trackTimerEnd:withAttributes:` of 4.x.
    private mutating func businessDraft(
        _ device: inout Device, event: UInt16, subject: UInt32, now: Instant
    ) -> GrowingDraft {
        var draft = GrowingDraft(templates.business(event))
        draft.detail = subject
        let origin = plan.app.events[Int(event)].variant?.origin ?? event
        guard let duration = device.timers.end(origin, at: now) else { return draft }
        // `durationFrom:to:`: out of the range (0, 24 h) it counts as nothing.
        let isInRange = duration > .zero && duration < .hours(24)
        let timed = TimedSubject(subject, milliseconds: isInRange ? duration.milliseconds : 0)
        draft.flags.insert(timed.isWide ? [.timed, .wide] : .timed)
        (draft.control, draft.detail) = (timed.control, timed.detail)
        return draft
    }

    /// A page in a web view sends a business event; before it, the page's script has seen what the user did:
    /// a click, or the form sent, one time in four.
    private mutating func actOnWebPage(
        _ event: UInt16, _ subject: UInt32, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        guard hasHybrid, let screen = device.trace.screen, encoder.viewFields.webPage(screen) != nil else {
            return
        }
        var stream = streams.stream(.screens, index: Int(device.index)).child(UInt64(device.nextSequence))
        // A page that sends an event twice was touched once.
        if plan.app.events[Int(event)].variant?.repeats != true {
            var act = GrowingDraft(
                stream.chance(0.25) ? GrowingTemplates.webSubmit : GrowingTemplates.webClick)
            act.screen = screen
            post(act, on: &device, at: now, effects: &effects)
        }
        var draft = GrowingDraft(templates.business(event))
        draft.screen = screen
        draft.detail = subject
        post(draft, on: &device, at: now, effects: &effects)
    }

    /// `setLoginUserAttributes:`; without a login `setVisitorAttributes:`, which 4.x does not have. Changes
    /// other than setting have no call.
    private mutating func setAttributes(
        _ update: UInt16, _ subject: UInt32, on device: inout Device, at now: Instant,
        effects: inout DeviceEffects
    ) {
        let operation = plan.app.profiles[Int(update)].operation
        guard operation == .set || operation == .setOnce else { return }
        let isLoggedIn = device.epochs.current.account != nil
        guard isLoggedIn || !rules.isVersion4 else { return }
        var draft = GrowingDraft(
            isLoggedIn ? templates.loginAttributes(update) : templates.visitorAttributes(update))
        draft.detail = subject
        post(draft, on: &device, at: now, effects: &effects)
    }
}

/// An event that somebody posts to the SDK.
struct GrowingDraft {
    var template: UInt16
    var screen = UInt16.max
    var control = UInt16.max
    var detail: UInt32 = 0
    var flags: GrowingEventFlags = []

    init(_ template: UInt16) { self.template = template }
}
