import Wire

/// TrackingSDK, whose clients take 200 alone for success as printed, and every 2xx with `upload.success`.
struct TrackingSDKCollected: PathSystem {
    static let system = CollectorSystem.trackingSDK
    static let headers: [CollectedHeader] = []
    static let uploadForms = [UploadForm("/tracking/events")]
    /// Events have a name, a time and parameters, and every table has the first two.
    static let eventShape = EventShape(members: [], propertyGroup: "parameters", carried: .ofEvents)

    static func takesUploads(at path: String) -> Bool { path.hasSuffix("/tracking/events") }

    let decoder = TrackingSDKDecoder()

    init(_ plan: CollectorPlan) {}

    func makeKeyReader() -> TrackingSDKReader { TrackingSDKReader() }
}
