import DeviceSDK

extension SensorsSystem {
    /// The anonymous id is in the keychain, where a new installation finds it: also one that the app passed to `identify:`.
    /// `$device_id` is the IDFV, which iOS makes anew. Login, bindings and super properties were in the app's files, and so was
    /// that it had been launched before.
    package func keep(of old: Device, in new: inout Device) {
        new.uploadCount = old.uploadCount
        new.fetchCount = old.fetchCount
        new.drawCount = old.drawCount
        let before = old.epochs.current
        new.epochs.change { epoch in
            epoch.anonymousGeneration = before.anonymousGeneration
            epoch.identifications = before.identifications
            epoch.ownInstallation = before.ownInstallation
            epoch.network = before.network
            epoch.appVersion = before.appVersion
            epoch.installation = before.installation &+ 1
        }
    }
}
