import DeviceSDK
import Wire

/// A field of an event: its name in JSON, and its number in `event_v3.proto`. A class, since each event hands on dozens.
final class GrowingField: Sendable {
    let name: String
    /// 0 for a field that the schema does not have.
    let number: UInt32
    /// `"name":`.
    let key: [UInt8]

    init(_ name: String, _ number: UInt32) {
        self.name = name
        self.number = number
        key = JSONFragment(name: name, slashes: .escaped).bytes
    }

    static let deviceId = GrowingField("deviceId", 1)
    static let userId = GrowingField("userId", 2)
    static let sessionId = GrowingField("sessionId", 4)
    static let dataSourceId = GrowingField("dataSourceId", 5)
    static let eventType = GrowingField("eventType", 6)
    static let platform = GrowingField("platform", 7)
    static let timestamp = GrowingField("timestamp", 8)
    static let domain = GrowingField("domain", 9)
    static let path = GrowingField("path", 10)
    static let query = GrowingField("query", 11)
    static let title = GrowingField("title", 12)
    static let referralPage = GrowingField("referralPage", 13)
    static let globalSequenceId = GrowingField("globalSequenceId", 14)
    static let eventSequenceId = GrowingField("eventSequenceId", 15)
    static let screenHeight = GrowingField("screenHeight", 16)
    static let screenWidth = GrowingField("screenWidth", 17)
    static let language = GrowingField("language", 18)
    static let sdkVersion = GrowingField("sdkVersion", 19)
    static let appVersion = GrowingField("appVersion", 20)
    static let eventName = GrowingField("eventName", 22)
    static let pageShowTimestamp = GrowingField("pageShowTimestamp", 23)
    static let attributes = GrowingField("attributes", 24)
    static let protocolType = GrowingField("protocolType", 26)
    static let textValue = GrowingField("textValue", 27)
    static let xpath = GrowingField("xpath", 28)
    static let index = GrowingField("index", 29)
    static let hyperlink = GrowingField("hyperlink", 30)
    static let urlScheme = GrowingField("urlScheme", 31)
    static let appState = GrowingField("appState", 32)
    static let networkState = GrowingField("networkState", 33)
    static let platformVersion = GrowingField("platformVersion", 36)
    static let deviceBrand = GrowingField("deviceBrand", 37)
    static let deviceModel = GrowingField("deviceModel", 38)
    static let deviceType = GrowingField("deviceType", 39)
    static let appName = GrowingField("appName", 42)
    static let latitude = GrowingField("latitude", 44)
    static let longitude = GrowingField("longitude", 45)
    static let idfa = GrowingField("idfa", 50)
    static let idfv = GrowingField("idfv", 51)
    static let orientation = GrowingField("orientation", 52)
    static let userKey = GrowingField("userKey", 55)
    static let xcontent = GrowingField("xcontent", 56)
    static let timezoneOffset = GrowingField("timezoneOffset", 57)

    /// The fields of the schema, by name.
    static let all: [String: GrowingField] = Dictionary(
        uniqueKeysWithValues: [
            deviceId, userId, sessionId, dataSourceId, eventType, platform, timestamp, domain, path, query,
            title, referralPage, globalSequenceId, eventSequenceId, screenHeight, screenWidth, language,
            sdkVersion, appVersion, eventName, pageShowTimestamp, protocolType, textValue, xpath, index,
            hyperlink, urlScheme, appState, networkState, platformVersion, deviceBrand, deviceModel,
            deviceType, appName, latitude, longitude, idfa, idfv, orientation, userKey, xcontent,
            timezoneOffset,
        ].map { ($0.name, $0) })

    // The second protocol's, in JSON only.

    static let shortType = GrowingField("t", 0)
    static let shortTime = GrowingField("tm", 0)
    static let shortGlobalSequence = GrowingField("gesid", 0)
    static let shortSequence = GrowingField("esid", 0)
}

extension GrowingRules {
    /// Names of the fields that interceptors can set and remove, attributes apart.
    package static var fieldNames: [String] { GrowingField.all.keys.sorted() }

    /// Names of all members that the SDK writes into events, or that their readers look for.
    ///
    /// - Parameter isShort: Whether they are written in the second protocol.
    package static func memberNames(isShort: Bool) -> Set<String> {
        let names = Set(GrowingField.all.keys).union([GrowingField.attributes.name])
        return isShort ? names.union(shortNames) : names
    }

    private static let shortNames: Set<String> = [
        "t", "tm", "gesid", "esid", "u", "s", "d", "dm", "osv", "ui", "iv", "av", "sh", "sw", "db", "ph",
        "os", "cv", "l", "lat", "lng", "cs1", "v", "n", "e", "var", "bs_id",
    ]
}

/// Fields with values that do not change, in every form that they are written in.
final class GrowingCompiledFields: Sendable {
    let fields: [(field: GrowingField, value: GrowingEventBuilder.Value)]
    /// `"name":value,` for each.
    let json: [UInt8]
    let message: [UInt8]

    /// Texts that are empty, or `nil`, are left out.
    init(_ fields: [(GrowingField, GrowingEventBuilder.Value?)]) {
        let present = fields.compactMap { field, value -> (GrowingField, GrowingEventBuilder.Value)? in
            guard let value, value != .text("") else { return nil }
            return (field, value)
        }
        self.fields = present.map { (field: $0.0, value: $0.1) }
        var json = GrowingJSONWriter()
        var message = GrowingMessageWriter()
        for (field, value) in present {
            json.put(field, value)
            message.put(field, value)
        }
        self.json = json.buffer.bytes
        self.message = message.buffer.bytes
    }

    static let none = GrowingCompiledFields([])
}

extension GrowingEventBuilder.Value {
    /// A text, or nothing for an empty one.
    static func nonEmpty(_ text: String?) -> Self? { text.flatMap { $0.isEmpty ? nil : .text($0) } }
}
