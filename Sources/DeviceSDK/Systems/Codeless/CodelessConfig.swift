import DeviceSDK
import Wire

/// The configuration that the server keeps for an app: which business data to add to which events.
///
/// Source: the sister article "iOS 无埋点数据 SDK 实践之路", which names an entry's six fields. That the answer
/// is an array of such entries is this project's choice.
struct CodelessConfig: Hashable, Sendable {
    /// To events of that name on that view, adds the value at the key path under the key name.
    struct Entry: Hashable, Sendable {
        var appKey: String
        var appVersion: String
        var viewEvent: String
        var viewPath: String
        var keyPath: String
        var keyName: String
    }

    var entries: [Entry] = []

    init() {}

    /// Reads an answer's body. Entries that lack one of the six texts are left out.
    ///
    /// - Returns: `nil` if the body is no JSON array.
    init?(body: [UInt8], parser: JSONParser) {
        let entries = try? body.withUnsafeBytes { bytes in
            try parser.withParsed(bytes) { root in
                root.kind == .array ? CodelessConfig.entries(of: root) : nil
            }
        }
        guard let entries else { return nil }
        self.entries = entries
    }

    private static func entries(of root: JSONValue) -> [Entry] {
        var entries: [Entry] = []
        for value in root.elements {
            guard let appKey = value["appKey"]?.string, let appVersion = value["appVersion"]?.string,
                let viewEvent = value["viewEvent"]?.string, let viewPath = value["viewPath"]?.string,
                let keyPath = value["keyPath"]?.string, let keyName = value["keyName"]?.string
            else { continue }
            entries.append(
                Entry(
                    appKey: appKey, appVersion: appVersion, viewEvent: viewEvent, viewPath: viewPath,
                    keyPath: keyPath, keyName: keyName))
        }
        return entries
    }
}
