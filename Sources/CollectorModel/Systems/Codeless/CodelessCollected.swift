import Wire

/// The codeless SDK.
struct CodelessCollected: PathSystem {
    static let system = CollectorSystem.codeless
    static let headers: [CollectedHeader] = [.eventsID]
    static let uploadForms = [UploadForm("/codeless/v1/events", headerLines: "X-Events-Id: e\r\n")]

    static func takesUploads(at path: String) -> Bool { path.hasSuffix("/codeless/v1/events") }
    static func servesConfig(at path: String) -> Bool { path.hasSuffix("/codeless/v1/config") }

    /// The rules for the app that asks: those that name its key and version, or none. A body that is no list is
    /// served as it is.
    func reply(with config: ServedConfig, to request: CollectedRequest) -> CollectorReply {
        var reply = config.whole
        if let rules = CodelessCollected.rules(config.body, for: request) { reply.body = rules }
        return reply
    }

    private static func rules(_ body: [UInt8], for request: CollectedRequest) -> [UInt8]? {
        let app = (queryValue("appKey", in: request.query), queryValue("appVersion", in: request.query))
        let parser = JSONParser()
        let list = body.withUnsafeBytes { bytes in
            try? parser.withParsed(bytes) { root -> [UInt8]? in
                guard root.kind == .array else { return nil }
                var list = WireBuffer("[")
                for rule in root.elements
                where rule.concerns(app.0, "appKey") && rule.concerns(app.1, "appVersion") {
                    list.appendJSONComma()
                    rule.appendJSON(to: &list)
                }
                list.append(UInt8(ascii: "]"))
                return list.bytes
            }
        }
        return list ?? nil
    }

    let decoder = CodelessDecoder()

    init(_ plan: CollectorPlan) {}

    func makeKeyReader() -> CodelessReader { CodelessReader() }
}

extension CollectedHeader {
    /// The batch's name.
    package static let eventsID = CollectedHeader("x-events-id")
}

extension JSONValue {
    /// Whether a rule is for what a request says, or leaves it open; a request may leave it open too.
    fileprivate func concerns(_ asked: String?, _ member: StaticString) -> Bool {
        guard let asked, let own = self[member]?.string, !own.isEmpty else { return true }
        return own == asked
    }
}
