import Timebase
import Wire

/// What a field of an event seems to be for, by its name and its values.
enum FieldRole: Hashable {
    case id, name, time, sent, distinctID, userID, anonymousID, deviceID, sessionID, sessionIndex, row
    case appVersion, appBuild, appID, osVersion, deviceModel, carrier, screenName, secret

    /// Names in lower case, letters and digits alone; of those that mean the same the likeliest first.
    private static let names: [(role: FieldRole, names: [String])] = [
        (
            .id,
            [
                "messageid", "uuid", "eventid", "insertid", "eid", "mpeventid", "guid", "id", "uid", "hitid",
                "key",
            ]
        ),
        (.name, ["event", "eventname", "eventtype", "name", "action", "what", "type", "schema", "n"]),
        (
            .time,
            [
                "timestamp", "time", "eventtime", "capturedat", "occurredat", "clienttime", "createdat",
                "dtm", "ts",
                "at", "date", "datetime", "originaltimestamp", "t",
            ]
        ),
        (
            .sent,
            ["sentat", "stm", "sendtime", "senttime", "clientuploadtime", "flushtime", "uploadtime", "sent"]
        ),
        (.distinctID, ["distinctid", "who", "visitor", "visitorid"]),
        (.userID, ["userid", "user", "customerid", "accountid"]),
        (.anonymousID, ["anonymousid", "anonid", "clientid", "anondistinctid"]),
        (.deviceID, ["deviceid", "idfv", "installid", "installationid", "vendorid"]),
        (.sessionID, ["sessionid", "session", "sid"]),
        (.sessionIndex, ["sessionindex", "sessionnumber"]),
        (.row, ["row", "seq", "sequence", "sequenceid", "seqid", "index"]),
        (.appVersion, ["appversion", "appver", "versionname", "appversionstring"]),
        (.appBuild, ["appbuild", "appbuildnumber"]), (.appID, ["appnamespace", "bundleid", "appid"]),
        (.osVersion, ["osversion", "osver"]), (.deviceModel, ["devicemodel", "model"]),
        (.carrier, ["carrier"]), (.screenName, ["screenname"]),
        (
            .secret,
            [
                "apikey", "writekey", "token", "appkey", "apitoken", "accesstoken", "secret", "projecttoken",
                "clientsecret",
                "password", "authorization",
            ]
        ),
    ]

    /// The names of objects that hold what the app hands over.
    private static let propertyNames = [
        "properties", "eventproperties", "props", "attributes", "params", "parameters", "data", "payload",
        "segmentation", "eventdata", "customdata", "traits",
    ]

    /// The roles that a field may have by its name, the likelier first.
    static func candidates(_ key: String) -> [(role: FieldRole, rank: Int)] {
        let plain = plain(key)
        let named = names.compactMap { role, names in names.firstIndex(of: plain).map { (role, $0) } }
        // What reports do not show is not written into a draft either.
        let isOther = SecretNames.contain(key, in: .member) && !named.contains { $0.0 == .secret }
        return isOther ? named + [(.secret, 0)] : named
    }

    /// Objects that hold what other events have as members of their own: `app.version` is `appVersion`.
    private static let parents: Set<String> = ["app", "os", "device"]

    /// The roles that a field may have by its name and by that of the object which it is in, the likelier first.
    static func candidates(at path: JSONPath) -> [(role: FieldRole, rank: Int)] {
        guard let key = path.tokens.last else { return [] }
        let parent = path.tokens.dropLast().last.map(plain) ?? ""
        return (parents.contains(parent) ? candidates(parent + key) : []) + candidates(key)
    }

    /// Whether a value at a path is a secret by its name.
    static func isSecret(at path: JSONPath) -> Bool {
        candidates(at: path).contains { $0.role == .secret }
    }

    /// How likely an object of this name holds what the app hands over, 0 the likeliest; `nil` for no such name.
    static func propertyRank(_ key: String) -> Int? { propertyNames.firstIndex(of: plain(key)) }

    private static func plain(_ key: String) -> String {
        String(
            key.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    }
}

/// How a text or a number is written.
enum ValueForm: Hashable {
    case uuid(isUpper: Bool, isTimed: Bool)
    case hex16
    /// A long text of letters and digits.
    case token
    case isoTime, seconds, milliseconds
    case other

    init(_ node: JSONNode) {
        switch node.content {
        case .number(let digits): self = ValueForm.time(Double(digits)) ?? .other
        case .string(let text):
            if let number = Double(text), let time = ValueForm.time(number) {
                self = time
            } else if text.utf8.count >= 19, Instant(text: text) != nil || Instant(text: text + "Z") != nil {
                self = .isoTime
            } else {
                self = ValueForm(text)
            }
        default: self = .other
        }
    }

    private init(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isHex = text.utf8.allSatisfy {
            $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isHexDigit
        }
        if isHex, groups.map(\.count) == [8, 4, 4, 4, 12] {
            self = .uuid(isUpper: text.contains { $0.isUppercase }, isTimed: groups[2].first == "7")
        } else if isHex, text.count == 16 {
            self = .hex16
        } else if text.count >= 16,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        {
            self = .token
        } else {
            self = .other
        }
    }

    /// A time of the years 2001 to 2065, which other numbers seldom are.
    private static func time(_ number: Double?) -> ValueForm? {
        guard let number else { return nil }
        if (1e9..<3e9).contains(number) { return .seconds }
        return (1e12..<3e12).contains(number) ? .milliseconds : nil
    }

    var isTime: Bool { self == .isoTime || self == .seconds || self == .milliseconds }

    /// Whether ids look so.
    var isID: Bool {
        switch self {
        case .uuid, .hex16, .token: true
        default: false
        }
    }
}
