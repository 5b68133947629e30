import CollectorModel

/// Described clients: a batch as Segment's clients send it stands for all.
enum DeclaredFixture: SystemFixture {
    static let system = CollectorSystem.declared
    static let scenarios = [declaredAnswers, declaredStores, declaredKills, declaredRollOuts]

    /// PostHog tries four times within seconds and then clears its queue, Amplitude stops for good
    /// where it loses a connection, Mixpanel, Segment and Snowplow keep what they may send again for ever; Mixpanel takes 200 alone for success, sends
    /// nothing before a minute, and keeps changes of people until somebody
    /// logs in, which here nobody does. RudderStack takes 200 alone, too, and Countly wants a word of its server. OpenTelemetry
    /// lists what is sent again: 429, 502 to 504.
    static let answers = """
        amplitude-ios 1.18.6 | D  T  S  S  S  S  L  S  S  S | D  D  G2 | K   S2  K  T
        aptabase-ios 0.3.11  | D  T  L  L  L  L  L  L  S  S | D  D  G  | S2  S2  S  T
        countly-ios 26.1.2   | D  S  S  S  S  S  S  S  S  S | D  S2 S2 | S2  S2  S  S
        ga4-mp 2             | D  T  S  S  S  S  S  S  S  S | D  D  S2 | S2  S2  S  T
        mixpanel-ios 6.5.1   | D  K  K  K  K  K  K  K  K  K | K2 K2 K2 | K2  K2  K  T
        otlp-http 1          | D  T  L  L  L  L  L  S  L  S | D  D  G  | S2  S2  S  T
        posthog-ios 3.69.3   | D  T  L  L  L  L  L  L  L  L | D  D  L2 | G2  L2  L  T
        rudderstack-ios 1.31.0 | D  S  S  S  S  S  S  S  S  S | S2 S2 S2 | S2  S2  S  T
        segment-ios 1.10.0   | D  T  S  L  S  S  S  S  S  S | D  D  S2 | S2  S2  S  T
        snowplow-ios 6.2.5   | D  T  S  L  L  S  S  S  S  S | D  D  S2 | S2  S2  S  T
        """

    /// How often four failures in a row come, how long Mixpanel then waits, and how a batch is divided, no rule tells in
    /// one number.
    static func expect(
        _ expected: inout SystemCosts.Expectation, of version: String,
        under disturbance: SystemCosts.Disturbance
    ) {
        expected.lost = nil
        expected.kept = nil
        expected.copies = nil
        // A portal has no word of Countly's server.
        if disturbance == .portal, version.hasPrefix("countly-ios") { expected.takenForDelivered = 0 }
    }

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
