import DeviceSDK

extension KitSystem {
    /// The names of files have the IDFV that was there first: Kit keeps it in the keychain
    /// (`KitUserStatisicsUtil.m`).
    package func keep(of old: Device, in new: inout Device) {
        new.uploadCount = old.uploadCount
        new.network = old.network
        new.epochs.change { $0 = old.epochs.current }
    }
}
