import DeviceSDK
import SDKDescription
import Timebase

/// Sessions: when one ends and the next one begins.
extension DeclaredSystem {
    /// A process begins: with a session of its own, unless the one before goes on.
    mutating func beginProcess(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        guard sdk.identity.session.survives, !isOver(device, now: now) else {
            return beginSession(&device, now: now, effects: &effects)
        }
        device.activeAt = now
    }

    /// Begins a new session where the present one is over.
    ///
    /// - Parameter isReturn: Whether the app returns to the foreground.
    mutating func renewSession(
        _ device: inout Device, now: Instant, isReturn: Bool, effects: inout DeviceEffects
    ) {
        guard isReturn || sdk.identity.session.renewsAt == .capture, isOver(device, now: now) else { return }
        beginSession(&device, now: now, effects: &effects)
    }

    private func isOver(_ device: borrowing Device, now: Instant) -> Bool {
        let session = sdk.identity.session
        if !device.hasHadSession { return true }
        if let longest = session.longest, now - device.epochs.current.sessionStart >= longest { return true }
        return now - device.activeAt > session.idle
    }

    private mutating func beginSession(
        _ device: inout Device, now: Instant, effects: inout DeviceEffects
    ) {
        if device.hasHadSession {
            // It is known to be over when the next one begins.
            store(
                DeclaredDraft(templates.action(.sessionEnd), screen: .max), at: now, on: &device,
                effects: &effects)
        }
        let next = device.nextSequence
        device.epochs.change { epoch in
            epoch.previousStart = epoch.sessionStart
            epoch.session += 1
            epoch.sessionStart = now
            epoch.sessionFirst = next
        }
        device.activeAt = now
        fetchConfigs(at: .session, &device, now: now, effects: &effects)
        store(
            DeclaredDraft(templates.action(.sessionStart), screen: .max), at: now, on: &device,
            effects: &effects)
    }
}
