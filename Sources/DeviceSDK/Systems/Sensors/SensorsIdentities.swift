import AppModel
import DeviceSDK
import Timebase

/// An app's calls about identities, as the SDK's methods take them.
struct SensorsIdentities {
    private enum Call {
        case identify(perCall: Bool)
        case resetAnonymousID
        /// The binding's number, and the bits of all with its key.
        case bind(Int, UInt32)
        /// The number of the first binding with the key, and the bits of all.
        case unbind(Int, UInt32)
    }

    private let calls: [Call]

    init(_ app: AppDescription) {
        let bindings = app.bindings
        func mask(_ key: String) -> UInt32 {
            bindings.indices.reduce(0) { $0 | (bindings[$1].key == key ? 1 << UInt32($1) : 0) }
        }
        var number = -1
        calls = app.identities.map { update in
            switch update.operation {
            case .identify(let identifier): return .identify(perCall: identifier == .perCall)
            case .resetAnonymousID: return .resetAnonymousID
            case .bind(let key, _):
                number += 1
                return .bind(number, mask(key))
            case .unbind(let key): return .unbind(mask(key).trailingZeroBitCount, mask(key))
            }
        }
    }

    /// Makes the call that an update stands for on the state of a device.
    ///
    /// - Returns: the event that the call tracks: whether it unbinds, and the number of the binding.
    func apply(
        _ update: UInt16, to epoch: inout SensorsEpoch
    ) -> (unbinds: Bool, binding: UInt32)? {
        switch calls[Int(update)] {
        case .identify(let perCall):
            if perCall {
                let count = epoch.identifications
                epoch.identifications = count < .max - 1 ? count + 1 : 1
                epoch.anonymousGeneration = epoch.identifications + 1
            } else {
                epoch.anonymousGeneration = 1
            }
            return nil
        case .resetAnonymousID:
            epoch.anonymousGeneration = 0
            epoch.ownInstallation = epoch.installation
            return nil
        case .bind(let number, let sameKey):
            epoch.bindings = epoch.bindings & ~sameKey | 1 << UInt32(number)
            return (false, UInt32(number))
        case .unbind(let first, let sameKey):
            let bound = epoch.bindings & sameKey
            epoch.bindings &= ~sameKey
            return (true, UInt32(bound == 0 ? first : bound.trailingZeroBitCount))
        }
    }
}

/// Who the user is.
///
/// Sources: sa-sdk-ios v1.10.17 (`identify:`, `resetAnonymousId`, `login:`) and v4.9.1 (the same,
/// `bind:value:`, `unbind:value:`, and `Core/Builder/SAIdentifier.m`).
///
/// `resetAnonymousId` takes what the SDK finds by itself (`getUniqueHardwareId`, `hardwareID`): the IDFV,
/// which is the id of the beginning until the app is installed again. `identify:` works under a login as well;
/// `distinct_id` shows it after the logout only. 4.9.1 keeps what is bound until the next sign-up, which
/// still carries it, and the logout.
extension SensorsSystem {
    /// - Returns: what the call tracks; `nil` for nothing.
    mutating func changeIdentity(_ update: UInt16, of device: inout Device) -> EventDraft? {
        guard isVersion4 || !plan.app.identities[Int(update)].operation.isTracked else { return nil }
        var epoch = device.epochs.current
        let event = identities.apply(update, to: &epoch)
        // A disabled SDK hands out no instance, so nothing changes.
        if !isDisabled(device) { device.epochs.change { $0 = epoch } }
        guard let event else { return nil }
        var draft = EventDraft(
            event.unbinds ? templates.unbind : templates.bind, screen: device.currentScreen)
        draft.detail = event.binding
        return draft
    }

    /// `login:` with the account in use does nothing; another one is stored first, so that
    /// `$SignUp` carries it as its `distinct_id`. 4.9.1 forgets what was bound once it has built the
    /// event; one that the blacklist stops before keeps it.
    mutating func login(
        _ device: inout Device, account: UInt32, now: Instant, effects: inout DeviceEffects
    ) {
        guard device.epochs.current.account != account else { return }
        if !isDisabled(device) { device.epochs.change { $0.account = account } }
        var draft = EventDraft(SensorsTemplates.signUp, screen: device.currentScreen)
        draft.detail = account
        let isBuilt = capture(draft, on: &device, now: now, effects: &effects)
        if isBuilt { device.epochs.change { $0.bindings = 0 } }
    }

    func logout(_ device: inout Device) {
        device.epochs.change {
            $0.account = nil
            $0.bindings = 0
        }
    }
}
