/// What the events of a device's first installation say of it and of its user, as a collector reads them.
package struct DeviceIdentity: Hashable, Sendable {
    /// By which the system tells devices apart before a login; `nil` where its events have no such id.
    package var anonymousID: String?
    /// The id of the user's first account; `nil` where events name no accounts.
    package var loginID: String?
    /// `nil` for these two where events say nothing of the device.
    package var model: String?
    package var systemVersion: String?

    package init(
        anonymousID: String? = nil, loginID: String? = nil, model: String? = nil,
        systemVersion: String? = nil
    ) {
        self.anonymousID = anonymousID
        self.loginID = loginID
        self.model = model
        self.systemVersion = systemVersion
    }
}
