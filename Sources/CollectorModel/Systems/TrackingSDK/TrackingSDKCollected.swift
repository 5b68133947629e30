import Wire

/// TrackingSDK, whose clients take 200 alone for success as printed, and every 2xx with `upload.success`.
enum TrackingSDKCollected: CollectedSystem {
    typealias KeyReader = TrackingSDKReader

    static let system = CollectorSystem.trackingSDK
    static let headers: [CollectedHeader] = [.apiKey]
    static let uploadForms = [UploadForm("/tracking/events", headerLines: "X-API-Key: k\r\n")]

    static func takesUploads(at path: String) -> Bool { path.hasSuffix("/tracking/events") }

    static func makeDecoder(_ plan: CollectorPlan) -> TrackingSDKDecoder { TrackingSDKDecoder() }
}

extension CollectedHeader {
    /// Whose events these are.
    package static let apiKey = CollectedHeader("x-api-key")
}
