import Wire

/// KitAnalysisOfUserBehavior.
struct KitCollected: PathSystem {
    static let system = CollectorSystem.kit
    static let headers: [CollectedHeader] = [.contentType]
    static let uploadForms = [
        UploadForm(
            "/uploadIosLogfiles.do1",
            headerLines: "Content-Type: \(MultipartBoundary(1, 2).contentType)\r\n")
    ]

    static func takesUploads(at path: String) -> Bool { path.hasSuffix("/uploadIosLogfiles.do1") }

    let decoder = KitDecoder()

    init(_ plan: CollectorPlan) {}

    func acceptance(for client: UploadClient) -> CollectorReply { KitCollected.acceptance }

    /// Its client judges by the body: the callback asks the JSON object for `statusCode`.
    private static let acceptance = CollectorReply(
        status: 200, disposition: .stored, body: Array(#"{"statusCode":200}"#.utf8),
        contentType: "application/json")

    func takesForSuccess(_ reply: CollectorReply, _ client: UploadClient) -> Bool {
        reply.isPositive && reply.mayHaveBody && reply.body == KitCollected.acceptance.body
            && reply.contentType.description == KitCollected.acceptance.contentType.description
    }

    func makeKeyReader() -> KitReader { KitReader() }
}
