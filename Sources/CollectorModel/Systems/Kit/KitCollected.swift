import Wire

/// KitAnalysisOfUserBehavior.
enum KitCollected: CollectedSystem {
    typealias KeyReader = KitReader

    static let system = CollectorSystem.kit
    static let headers: [CollectedHeader] = [.contentType]
    static let uploadForms = [
        UploadForm(
            "/uploadIosLogfiles.do1",
            headerLines: "Content-Type: \(MultipartBoundary(1, 2).contentType)\r\n")
    ]

    static func takesUploads(at path: String) -> Bool { path.hasSuffix("/uploadIosLogfiles.do1") }

    /// Its client judges by the body: the callback asks the JSON object for `statusCode`.
    static let acceptance = CollectorReply(
        status: 200, disposition: .stored, body: Array(#"{"statusCode":200}"#.utf8),
        contentType: "application/json")

    static func takesForSuccess(_ reply: CollectorReply) -> Bool {
        reply.isPositive && reply.mayHaveBody && reply.body == acceptance.body
            && reply.contentType.description == acceptance.contentType.description
    }

    static func makeDecoder(_ plan: CollectorPlan) -> KitDecoder { KitDecoder() }
}
