import Wire

/// The public products whose clients a collector knows without being told: their HTTP interfaces as their servers
/// take them, whichever client it is.
///
/// Read in the clients themselves: analytics-swift 1.10.0 and segment-analytics-python 2.4.0; posthog-ios 3.69.3 and
/// posthog 7.91.1; snowplow-ios-tracker 6.2.5 and snowplow-tracker 1.1.0; Amplitude-Swift 1.18.6 and
/// amplitude-analytics 1.3.0; mixpanel-swift 6.5.1 and mixpanel 5.4.1.
extension UploadDescription {
    /// In this order, where a path is of several: the bodies tell them apart.
    package static let products = [segment, posthog, snowplow, amplitude, mixpanel]

    /// Segment: events know their kind by `type`.
    private static let segment: UploadDescription = {
        var event = EventDescription(names: [.value("/event"), .value("/name"), .value("/type")])
        event.types = ["/type"]
        event.times = ["/timestamp", "/originalTimestamp"]
        event.distinctIDs = ["/userId", "/anonymousId"]
        event.tags = ["/properties/bs_id", "/traits/bs_id", "/context/bs_id", "/bs_id"]
        event.key = [["/messageId"]]
        var product = UploadDescription(
            name: "segment", uploads: [RequestPattern(.post, "/v1/b"), RequestPattern(.post, "/v1/batch")],
            lists: ["/batch"], event: event)
        // Without "Segment.io" among the integrations, the client drops what it captured.
        product.configs = [
            DescribedConfig(
                .get, "/v1/projects/{key}/settings",
                neutral: #"{"integrations":{"Segment.io":{}},"plan":{"track":{},"identify":{},"group":{}}}"#)
        ]
        product.answer = DescribedAnswer(#"{"success":true}"#)
        return product
    }()

    private static let posthog: UploadDescription = {
        var event = EventDescription(names: [.value("/event")])
        event.times = ["/timestamp"]
        event.distinctIDs = ["/distinct_id", "/properties/distinct_id"]
        event.tags = ["/properties/bs_id"]
        event.key = [["/uuid"]]
        var product = UploadDescription(
            name: "posthog",
            uploads: ["/batch", "/i/v0/e", "/e", "/capture"].map { RequestPattern(.post, $0) },
            lists: ["/batch", ""], event: event)
        let flags =
            #"{"flags":{},"featureFlags":{},"featureFlagPayloads":{},"errorsWhileComputingFlags":false}"#
        product.configs = [
            DescribedConfig(
                .get, "/array/{token}/config",
                neutral:
                    #"{"supportedCompression":["gzip"],"hasFeatureFlags":false,"sessionRecording":false}"#),
            DescribedConfig(.post, "/flags", neutral: flags),
            DescribedConfig(.post, "/decide", neutral: flags),
        ]
        product.answer = DescribedAnswer(#"{"status":"Ok"}"#)
        return product
    }()

    /// Snowplow: self-describing events are called by the schema of what they hold, which is JSON in a text, in base64
    /// or as it is. An event that is too large for a request with others comes without the `payload_data` around it.
    private static let snowplow: UploadDescription = {
        var event = EventDescription(
            names: [
                "/ue_px/data/schema", "/ue_pr/data/schema", "/se_ac", "/page", "/url", "/e",
            ].map { .value($0) })
        event.types = ["/e"]
        event.times = ["/dtm", "/ttm"]
        event.distinctIDs = ["/uid", "/duid", "/nuid"]
        event.tags = ["/ue_px/data/data/bs_id", "/ue_pr/data/data/bs_id"]
        event.key = [["/eid"]]
        // When the tracker sent it.
        event.attemptMembers = ["stm"]
        var product = UploadDescription(
            name: "snowplow",
            uploads: [
                RequestPattern(.post, "/com.snowplowanalytics.snowplow/tp2"), RequestPattern(.get, "/i"),
            ], lists: ["/data", ""], event: event)
        product.takesFields = true
        product.answer = DescribedAnswer("ok")
        return product
    }()

    private static let amplitude: UploadDescription = {
        var event = EventDescription(names: [.value("/event_type")])
        event.times = ["/time"]
        event.timeUnit = .milliseconds
        event.distinctIDs = ["/user_id", "/device_id"]
        event.tags = ["/event_properties/bs_id", "/user_properties/bs_id", "/user_properties/$set/bs_id"]
        event.key = [["/insert_id"]]
        var product = UploadDescription(
            name: "amplitude",
            uploads: ["/2/httpapi", "/batch/httpapi", "/batch"].map { RequestPattern(.post, $0) },
            lists: ["/events"], event: event)
        product.configs = [DescribedConfig(.get, "/config/{key}", neutral: #"{"configs":{}}"#)]
        // Its clients in Python look for the code in the body.
        product.answer = DescribedAnswer(#"{"code":200}"#)
        product.answer.listings = [400: JSONPath(["events_with_invalid_fields", "*"])]
        return product
    }()

    /// Mixpanel: a list, or one event; its clients in Python send it in a form. Updates of profiles have no event.
    private static let mixpanel: UploadDescription = {
        let operations = [
            "$set", "$set_once", "$add", "$append", "$union", "$unset", "$remove", "$delete",
        ]
        var event = EventDescription(names: [.value("/event")] + operations.map { .member($0) })
        event.times = ["/properties/time", "/$time"]
        event.distinctIDs = ["/properties/distinct_id", "/$distinct_id", "/$device_id", "/$group_id"]
        event.tags = ["/properties/bs_id", "/$set/bs_id", "/bs_id"]
        event.key = [["/properties/$insert_id", "/$mp_metadata/$mp_event_id"]]
        // The row's number in the device's database.
        event.attemptMembers = ["id"]
        var product = UploadDescription(
            name: "mixpanel",
            uploads: ["/track", "/engage", "/groups", "/import"].map { RequestPattern(.post, $0) },
            lists: [""], event: event)
        product.configs = [
            DescribedConfig(.get, "/decide", neutral: #"{"config":{},"notifications":[],"surveys":[]}"#),
            DescribedConfig(.get, "/flags", neutral: #"{"flags":{}}"#),
        ]
        product.answer = DescribedAnswer("1", words: #"{"status":1,"error":null}"#, delivered: [200...200])
        return product
    }()
}
