import AppModel
import DeviceSDK
import Wire

/// The lines and paths of requests. The text has none of them: they are this project's choice.
///
/// - Events: `POST` to the target's path (`/codeless/v1/events` by default), `application/x-protobuf`, with
///   the batch's `eventsID` in `X-Events-Id` too, so that a server need not look into the body for it.
/// - Configuration: `GET config?appKey=…&appVersion=…` in the same folder.
struct CodelessEndpoints: Sendable {
    private let path: String
    private let uploadLines: String
    private let configPath: String
    private let addedLines: String

    init(plan: PopulationPlan) {
        let target = plan.target
        path = target.pathAndQuery
        addedLines = target.headerLines(after: "")
        uploadLines = target.headerLines(after: "Content-Type: application/x-protobuf\r\n") + "X-Events-Id: "
        carried = RequestHead(method: .post, path: path, headerLines: addedLines)
        let withoutQuery = path.prefix { $0 != "?" && $0 != "#" }
        let folder = withoutQuery.lastIndex(of: "/").map { withoutQuery[...$0] } ?? "/"
        configPath = "\(folder)config?appKey=\(Self.escaped(plan.codelessAppKey))&appVersion="
    }

    /// The head of an upload that is handed over without its bytes.
    let carried: RequestHead

    /// The head of an upload under an `eventsID`.
    func upload(eventsID: String) -> RequestHead {
        RequestHead(method: .post, path: path, headerLines: "\(uploadLines)\(eventsID)\r\n")
    }

    /// The head of the configuration's fetch by a version of the app.
    func fetch(appVersion: String) -> RequestHead {
        RequestHead(
            method: .get, path: configPath + Self.escaped(appVersion), headerLines: addedLines)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = WireBuffer()
        // RFC 3986's unreserved characters stay.
        PercentEncoding(literals: "-_.~").encode(WireBuffer(text), into: &escaped)
        return escaped.text
    }
}

extension PopulationPlan {
    /// `appKey`: what the target says, else the app's bundle identifier.
    var codelessAppKey: String { target.apiKey.isEmpty ? app.bundleIdentifier : target.apiKey }
}
