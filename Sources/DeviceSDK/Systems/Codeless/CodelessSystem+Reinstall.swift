import DeviceSDK

extension CodelessSystem {
    /// Nothing is said of a keychain: `deviceId`, the identifier for vendors, is another one.
    package func keep(of old: Device, in new: inout Device) {
        new.memoryStart = new.nextSequence
        new.arrayStart = new.nextSequence
        new.eventsIDCount = old.eventsIDCount
        new.sessionCount = old.sessionCount
        new.uploadCount = old.uploadCount
        new.fetchCount = old.fetchCount
        new.network = old.network
        new.installation = old.installation &+ 1
        new.epochs.change { $0.appVersion = old.epochs.current.appVersion }
    }
}
