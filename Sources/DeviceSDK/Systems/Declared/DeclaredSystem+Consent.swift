import Accounting
import DeviceSDK
import SDKDescription
import Timebase

/// Consent: users say what they will in the app, and the SDK hears of it there. What is under way goes on.
extension DeclaredSystem {
    /// Tells the SDK what the user says by now, if that is something else than last time.
    mutating func followConsent(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        guard let rules = sdk.consent, device.isForeground else { return }
        let said = plan.consents.isGiven(
            at: now, traits: streams.stream(.traits, index: Int(device.index)))
        guard said != device.consentSaid else { return }
        device.consentSaid = said
        let isGiven = said ?? (rules.initial == .given)
        guard isGiven == device.isRefused else { return }
        if isGiven {
            grant(&device, now: now, effects: &effects)
        } else {
            withdraw(&device, rules, now: now, effects: &effects)
        }
    }

    private mutating func grant(_ device: inout Device, now: Instant, effects: inout DeviceEffects) {
        device.isRefused = false
        capture(.optIn, on: &device, now: now, effects: &effects)
        // What has waited may be enough by now.
        if isEnough(device) { beginFlush(&device, .count, due: now, now: now, effects: &effects) }
    }

    private mutating func withdraw(
        _ device: inout Device, _ rules: DescribedSDK.Consent, now: Instant, effects: inout DeviceEffects
    ) {
        capture(.optOut, on: &device, now: now, effects: &effects)
        device.isRefused = true
        if rules.stored == .delete {
            clear(&device, as: .lost(.clearedUnsent), effects: &effects)
            device.trimEpochs()
        }
        if rules.forgetsUser { forgetUser(&device, renewsID: true, now: now) }
    }

    /// The user is gone, and with a new anonymous id whoever comes next is somebody else.
    func forgetUser(_ device: inout Device, renewsID: Bool, now: Instant) {
        let renewsID = renewsID && sdk.identity.anonymous != .vendor
        device.epochs.change { epoch in
            epoch.account = nil
            guard renewsID else { return }
            epoch.anonymousGeneration &+= 1
            epoch.anonymousSince = now
        }
    }

    /// A process begins: what the user has said is forgotten, unless it was written down.
    func beginConsent(_ device: inout Device) {
        guard let rules = sdk.consent, !rules.isPersisted else { return }
        device.isRefused = rules.initial == .absent
    }

    /// Whether events are captured at all.
    @inline(__always)
    func mayCapture(_ device: borrowing Device) -> Bool {
        !device.isRefused || sdk.consent?.captures == .store
    }

    /// Whether what is stored may be sent.
    @inline(__always)
    func maySend(_ device: borrowing Device) -> Bool { !device.isRefused || sdk.consent?.stored == .send }
}
