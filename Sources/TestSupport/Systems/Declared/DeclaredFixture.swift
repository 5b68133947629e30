import CollectorModel

/// Described clients: a batch as Segment's clients send it stands for all.
enum DeclaredFixture: SystemFixture {
    static let system = CollectorSystem.declared
    static let scenarios: [ConformanceScenario] = []
    static let answers = ""

    static func upload(ids: [String?]) -> SystemUpload {
        let events = ids.enumerated().map { number, id in
            let properties = id.map { #"{"price":9.5,"bs_id":"\#($0)"}"# } ?? #"{"price":9.5}"#
            return """
                {"type":"track","event":"Buy","messageId":"6F1C-\(number)","anonymousId":"3D1F",\
                "timestamp":"2026-03-02T11:30:00.123Z","properties":\(properties)}
                """
        }
        let body = #"{"batch":[\#(events.joined(separator: ","))],"sentAt":"x","writeKey":"WK"}"#
        return SystemUpload(system: .declared, path: "/v1/b", body: Array(body.utf8))
    }
}
