import DeviceSDK

extension DeclaredSystem {
    /// Nothing is said of a keychain: all ids of the device are others. What counts up goes on, so that no id comes twice.
    package func keep(of old: Device, in new: inout Device) {
        new.uploadCount = old.uploadCount
        new.fetchCount = old.fetchCount
        let before = old.epochs.current
        new.epochs.change { epoch in
            epoch.anonymousGeneration = before.anonymousGeneration &+ 1
            epoch.session = before.session
            epoch.firstSession = before.session &+ 1
            epoch.installation = before.installation &+ 1
            epoch.network = before.network
            epoch.appVersion = before.appVersion
        }
    }
}
