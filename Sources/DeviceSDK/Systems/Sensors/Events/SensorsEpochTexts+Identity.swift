import DeviceSDK
import Wire

extension SensorsEpochTexts {
    /// 4.x tells the anonymous id twice, of every event but `$UnbindID` (`SAIDMappingInterceptor
    /// processIdentitiesWithObject:`).
    mutating func writeIdentity(_ traits: SensorsTraits, _ catalogue: SensorsEventCatalogue) {
        var anonymous = WireBuffer(capacity: 36)
        traits.anonymousID(epoch).append(to: &anonymous)
        distinctID.removeAll()
        if let account = epoch.account {
            traits.appendLoginID(account, to: &distinctID)
        } else {
            distinctID.append(contentsOf: anonymous)
        }
        originalID.removeAll()
        Self.append("\"original_id\":\"", anonymous, "\",", to: &originalID)
        identity.removeAll()
        Self.append("\"distinct_id\":\"", distinctID, "\",", to: &identity)
        distinctEnd = identity.count
        guard catalogue.isVersion4 else { return }
        if epoch.account != nil { Self.append("\"login_id\":\"", distinctID, "\",", to: &identity) }
        Self.append("\"anonymous_id\":\"", anonymous, "\",", to: &identity)
        identity.append("\"identities\":{\"$identity_idfv\":\"")
        traits.device(ofInstallation: epoch.installation).append(to: &identity)
        Self.append("\",\"$identity_anonymous_id\":\"", anonymous, "\"", to: &identity)
        if epoch.account != nil {
            Self.append(",\"$identity_login_id\":\"", distinctID, "\"", to: &identity)
        }
        for binding in 0..<catalogue.bindings.count where epoch.bindings >> UInt32(binding) & 1 == 1 {
            identity.append(UInt8(ascii: ","))
            identity.append(upTo: catalogue.bindings.limit + SensorsCursor.slack) { memory in
                var cursor = SensorsCursor(memory)
                catalogue.bindings.write(binding, traits.bindings, .ofADevice, to: &cursor)
                cursor.dropComma()
                return cursor.count
            }
        }
        identity.append("},")
    }

    private static func append(
        _ before: StaticString, _ text: borrowing WireBuffer, _ after: StaticString,
        to buffer: inout WireBuffer
    ) {
        buffer.append(before)
        buffer.append(contentsOf: text)
        buffer.append(after)
    }
}
