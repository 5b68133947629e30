package import Wire

extension DescribedSDK {
    /// A further way of events to the collector: a queue with requests of its own, beside the main one.
    ///
    /// Limits of the store, triggers, answers and waits are those of the SDK: lanes share them.
    package struct Lane: Hashable, Sendable {
        package var name: String
        package var request: Request
        /// Events in a request, at most; `nil` for all.
        package var batch: Int?
        /// Whether ``batch`` is its own, and not that of all uploads.
        package var hasOwnBatch = false
        /// Whether events of somebody who has not logged in wait until somebody does.
        package var waitsForLogin = false

        package init(_ name: String, request: Request, batch: Int?) {
            self.name = name
            self.request = request
            self.batch = batch
        }

        /// Whether a configuration that turns the batch of all uploads turns its batch, too.
        package var takesTurnedBatch: Bool { !hasOwnBatch && request.framing != .one }
    }

    /// Where the harness's id is in the events of an action; `nil` for none.
    package func tag(of event: EventTemplate) -> JSONPath? { event.tag ?? events.tag }

    /// What the requests of a lane look like.
    ///
    /// - Parameter lane: 0 for the main one, else the index in ``lanes`` and one.
    package func request(ofLane lane: Int) -> Request { lane == 0 ? request : lanes[lane - 1].request }

    /// The requests of all lanes, the main one first.
    package var requests: [Request] { [request] + lanes.map(\.request) }
}
