package import Wire

/// The description of an SDK, drafted from requests that it sent.
package struct DescriptionDraft: Sendable {
    /// The description, as far as requests tell it.
    package let description: JSONNode
    /// What it says without knowing it, and what it leaves out.
    package let guesses: [Guess]
    /// Where the requests went: a target's URL.
    package let origin: String
    /// The requests that it is drafted from.
    package let requests: [CapturedRequest]
    /// The events in these, those that came again with each time.
    package let eventCount: Int

    /// As many events as are looked at.
    private static let eventLimit = 2000

    /// Drafts a description from the requests of the route with the most events.
    ///
    /// - Throws: ``CaptureProblem`` where no request has events in JSON.
    package init(_ captured: [CapturedRequest]) throws(CaptureProblem) {
        let routes = Route.all(captured)
        guard let route = routes.first(where: { $0.events != nil }), let list = route.events else {
            throw CaptureProblem(
                "", found: routes.isEmpty ? "no POST and no PUT" : "\(count(captured)) without events",
                allowed:
                    "a POST or PUT whose body is JSON with events: objects with a name, and a time or an id"
                    + " (bodies in other formats need code of their own)")
        }
        let events = list.withoutRepeats
        var builder = DraftBuilder(route, list, Array(events.prefix(DescriptionDraft.eventLimit)))
        description = builder.build(
            leftOut: DescriptionDraft.repeated(list.eventCount - events.count)
                + Route.leftOut(of: captured, routes, taken: route))
        guesses = builder.guesses
        origin = route.requests[0].origin
        requests = route.requests
        eventCount = list.eventCount
    }

    private static func repeated(_ count: Int) -> [Guess] {
        guard count > 0 else { return [] }
        let subject = count == 1 ? "1 event" : "\(count) events"
        return [
            Guess("", "\(subject) came again in later requests, and counted once for what events tell", .sure)
        ]
    }
}

private func count(_ requests: [CapturedRequest]) -> String {
    requests.count == 1 ? "1 request" : "\(requests.count) requests"
}

private func verb(_ requests: [CapturedRequest]) -> String { requests.count == 1 ? "is" : "are" }

extension CapturedRequest {
    /// Whether its method is one by which SDKs hand over bodies.
    fileprivate var carriesBody: Bool { method == "POST" || method == "PUT" }
}

/// The requests of one method and path.
struct Route {
    let requests: [CapturedRequest]
    let bodies: [CapturedBody]
    let events: EventList?

    /// The routes of all POSTs and PUTs, the one with the most events first.
    static func all(_ requests: [CapturedRequest]) -> [Route] {
        var order: [String] = []
        var groups: [String: [CapturedRequest]] = [:]
        for request in requests where request.carriesBody {
            let name = request.method + request.origin + request.path
            if groups[name] == nil { order.append(name) }
            groups[name, default: []].append(request)
        }
        let routes = order.enumerated().map { (rank: $0, route: Route(groups[$1] ?? [])) }
        return routes.sorted { left, right in
            let counts = (left.route.events?.eventCount ?? 0, right.route.events?.eventCount ?? 0)
            return counts.0 != counts.1 ? counts.0 > counts.1 : left.rank < right.rank
        }
        .map(\.route)
    }

    private init(_ requests: [CapturedRequest]) {
        self.requests = requests
        bodies = requests.compactMap { CapturedBody($0) }
        events = EventList(bodies)
    }

    /// What of a capture is not in the draft of a route.
    fileprivate static func leftOut(
        of captured: [CapturedRequest], _ routes: [Route], taken route: Route
    ) -> [Guess] {
        var guesses: [Guess] = []
        for other in routes where other.requests[0].place != route.requests[0].place {
            let requests = other.requests
            guesses.append(
                Guess(
                    "",
                    "\(count(requests)) to \(requests[0].path) \(verb(requests)) left out\(other.reason(beside: route))",
                    .sure))
        }
        let fetches = captured.filter { !$0.carriesBody }
        if !fetches.isEmpty {
            guesses.append(
                Guess(
                    "",
                    "\(count(fetches)) that \(verb(fetches)) neither POST nor PUT \(verb(fetches)) left out",
                    .sure))
        }
        return guesses
    }

    /// Why it is not what a draft is made from.
    private func reason(beside route: Route) -> String {
        guard events != nil else { return ": no events in JSON" }
        return requests[0].origin == route.requests[0].origin
            ? ": a draft has one path; a description has others as lanes" : ": a description has one target"
    }
}
