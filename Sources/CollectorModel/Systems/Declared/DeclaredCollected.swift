import Accounting
import SDKDescription
import Wire

/// Clients that are described and not programmed: the public products that a collector knows, and those of the plan.
///
/// Each client is one of the system's: its name in the store, its paths and its answers are those of its description.
struct DeclaredCollected: CollectedSystem {
    static let system = CollectorSystem.declared
    static let headers: [CollectedHeader] = []

    /// A list in an object, one in the body itself, one event, lines, a form, and texts that hold JSON.
    static let uploadForms = [
        "/v1/b", "/batch", "/com.snowplowanalytics.snowplow/tp2", "/2/httpapi", "/track",
    ]
    .map { UploadForm($0) }

    /// What a description says of its events is in their JSON alone.
    static let eventShape = EventShape(members: [])

    let decoder: DeclaredDecoder
    private let clients: DescribedClients

    init(_ plan: CollectorPlan) {
        clients = DescribedClients(plan)
        decoder = DeclaredDecoder(clients)
    }

    func purpose(of request: borrowing CollectedRequest) -> RequestPurpose? { clients.purpose(of: request) }

    func neutralConfig(for request: CollectedRequest) -> [UInt8] { clients.neutralConfig(for: request) }

    func client(of request: CollectedRequest) -> UploadClient {
        UploadClient(
            number: clients.candidates(for: request).first ?? 0,
            wantsWords: queryValue("verbose", in: request.query) == "1")
    }

    func name(of client: UploadClient) -> String { clients.all[client.number].name }

    func acceptance(for client: UploadClient) -> CollectorReply {
        let answer = clients.all[client.number].answer
        let body = client.wantsWords ? answer.words ?? answer.body : answer.body
        return CollectorReply(
            status: answer.status, disposition: .stored, body: body,
            contentType: body.first == UInt8(ascii: "{") ? "application/json" : "text/plain")
    }

    func takesForSuccess(_ reply: CollectorReply, _ client: UploadClient) -> Bool {
        // Any status, if the client takes it for one of success; what is refused for good is gone too, but is none.
        let answer = clients.all[client.number].answer
        if let table = answer.table {
            return table.verdict(status: reply.status, body: reply.mayHaveBody ? reply.body : []).isPositive
        }
        return answer.delivered.contains { $0.contains(reply.status) }
    }

    func listing(status: UInt16, for client: UploadClient) -> JSONPath? {
        let answer = clients.all[client.number].answer
        return answer.table?.listing(status: status) ?? answer.listings[status]
    }

    func makeKeyReader() -> DeclaredKeyReader { DeclaredKeyReader(clients) }
}

/// Reads the keys of events by the descriptions that a collector knows.
struct DeclaredKeyReader: CollectedKeyReader {
    private let clients: DescribedClients
    private var reader = DescribedEventReader()

    init(_ clients: DescribedClients) { self.clients = clients }

    mutating func key(of value: JSONValue) -> EventKey? {
        for client in clients.all {
            if let key = reader.key(of: value, as: client) { return key }
        }
        return nil
    }

    mutating func capturedAt(of value: JSONValue) -> Int64? {
        for client in clients.all where reader.key(of: value, as: client) != nil {
            return reader.capturedAt(value, as: client)
        }
        return nil
    }
}
