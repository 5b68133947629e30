import DeviceSDK

/// What the SDK accepts as a name of an event or a property, and how it cuts long texts.
///
/// Sources: sa-sdk-ios v1.10.17 (`isValidName:`, `assertPropertyTypes:`, `SACommonUtility
/// subByteString:`) and v4.9.1 (`SAValidator`, `SAPropertyValidator`).
package enum SensorsNames {
    /// Names that no event and no property may have, in lower case.
    static let reserved = [
        "distinct_id", "original_id", "time", "event", "properties", "id", "first_id", "second_id", "users",
        "events", "user_id", "date", "datetime",
    ]
    /// Beginnings of names that 4.x reserves on top.
    static let reservedPrefixes = ["user_tag", "user_group"]
    /// The most characters in a name. 4.x only warns beyond.
    static let maximumLength = 100
    /// Bytes of a text in 1.x, characters in 4.x.
    static let maximumText = 8191

    /// Whether `name` may be an event's name or a property's key: a letter, `_` or `$`, then
    /// letters, digits, `_` and `$`, and none of the reserved words, all without regard to case.
    ///
    /// 1.x also refuses more than 100 characters; 4.x refuses reserved prefixes instead.
    package static func isValid(_ name: String, version: SensorsRules.Version) -> Bool {
        guard let first = name.utf8.first, isLetter(first),
            name.utf8.allSatisfy({ isLetter($0) || (48...57).contains($0) })
        else { return false }
        let lowered = name.lowercased()
        guard !reserved.contains(lowered) else { return false }
        if version == .v4 {
            return !reservedPrefixes.contains { lowered.hasPrefix($0) }
        }
        return name.utf8.count <= maximumLength
    }

    /// Ids that 4.x keeps for itself (`SAIdentifier isValidForBind:value:`).
    static let ownIdentities = [
        "$identity_login_id", "$identity_anonymous_id", "$identity_idfv", "$identity_ios_uuid",
    ]

    /// Whether an app may bind and unbind ids under a name. 4.x also unbinds `$identity_idfv`, which
    /// changes nothing.
    package static func isBindable(_ name: String) -> Bool {
        isValid(name, version: .v4) && !ownIdentities.contains(name)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        let lowered = byte | 32
        return (97...122).contains(lowered) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }

    /// The text that is sent for a value: itself, or its beginning and `$` where it is too long.
    ///
    /// 1.x counts UTF-8 bytes (more than 8191 are cut to 8190), 4.x UTF-16 units (8192 and more are
    /// cut to 8191); `app_crashed_reason` may be twice as long.
    package static func cut(_ text: String, key: String, version: SensorsRules.Version) -> String {
        let isReason = key == "app_crashed_reason"
        if version == .v4 {
            let limit = (maximumText + 1) * (isReason ? 2 : 1)
            guard text.utf16.count >= limit else { return text }
            return String(decoding: text.utf16.prefix(limit - 1), as: UTF16.self) + "$"
        }
        let limit = maximumText * (isReason ? 2 : 1)
        guard text.utf8.count > limit else { return text }
        let bytes = Array(text.utf8)
        // The source tries three lengths to keep whole characters, and then gives the text up uncut.
        for length in [limit - 1, limit - 2, limit - 3] {
            let isWhole = bytes[length] & 0xC0 != 0x80
            if isWhole { return String(decoding: bytes[..<length], as: UTF8.self) + "$" }
        }
        return text + "$"
    }
}
