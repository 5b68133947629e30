extension TrackingSDKSystem {
    /// The SDK has no ids of its own.
    package func keep(of old: Device, in new: inout Device) {
        new.fileStart = new.nextSequence
        new.uploadCount = old.uploadCount
        new.network = old.network
        new.appVersion = old.appVersion
    }
}
