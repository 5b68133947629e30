import Accounting
import Wire

/// SensorsAnalytics.
struct SensorsCollected: PathSystem {
    static let system = CollectorSystem.sensors
    static let headers: [CollectedHeader] = []
    static let uploadForms = [UploadForm("/sa")]
    static let eventFields = ["data_list", "data"]

    let decoder = SensorsDecoder()

    init(_ plan: CollectorPlan) {}

    /// The path is whatever the client's server URL has, so the last component decides: `sa`, or `debug` for the
    /// debug modes.
    static func takesUploads(at path: String) -> Bool { path.hasSuffix("/sa") || path.hasSuffix("/debug") }

    /// The configuration lies beside the upload path (sa-sdk-ios v1.10.17: the URL's last component is replaced by
    /// `config/iOS.conf`), whatever leads to it.
    static func servesConfig(at path: String) -> Bool {
        path.hasSuffix("/config/iOS.conf") || path.hasSuffix("/config/Android.conf")
    }

    func neutralConfig(for request: CollectedRequest) -> [UInt8] { SensorsCollected.neutral }

    private static let neutral = Array(
        """
        {"v":"0","configs":{"disableSDK":false,"disableDebugMode":false,"autoTrackMode":-1,\
        "event_blacklist":[],"effect_mode":0}}
        """.utf8)

    /// 304 for a request that names the version in `v`.
    func reply(with config: ServedConfig, to request: CollectedRequest) -> CollectorReply {
        queryValue("v", in: request.query) == config.version
            ? CollectorReply(status: 304, disposition: .config) : config.whole
    }

    func makeKeyReader() -> SensorsKeyReader { SensorsKeyReader() }
}

struct SensorsKeyReader: CollectedKeyReader {
    private var scratch = WireBuffer()

    mutating func key(of value: JSONValue) -> EventKey? {
        (try? SensorsEvent(value))?.key(of: value, scratch: &scratch)
    }

    /// Items have no time of their own.
    func capturedAt(of value: JSONValue) -> Int64? { (try? SensorsEvent(value))?.time }
    func capturedAt(ofPart value: JSONValue) -> Int64? { value["time"]?.int64 }
}
