import DeviceSDK

extension GrowingSystem {
    /// `deviceId` is in the keychain (`GrowingDeviceInfo.m`), where a new installation finds it; `idfv` is made anew by iOS, and
    /// the sequences of events begin again.
    package func keep(of old: Device, in new: inout Device) {
        new.sessionCount = old.sessionCount
        new.processCount = old.processCount
        new.uploadCount = old.uploadCount
        new.drawCount = old.drawCount
        let before = old.epochs.current
        new.epochs.change { epoch in
            epoch.network = before.network
            epoch.appVersion = before.appVersion
            epoch.installation = before.installation &+ 1
        }
    }
}
