package import Accounting
import AppModel
package import DeviceSDK
import SDKDescription
package import Timebase
package import Wire
package import World

/// An SDK as its description says.
///
/// The files beside this one: what the app does and what is captured of it (`+Actions`, `+Capture`, `+Session`), uploads
/// (`+Upload`), their answers (`+Answers`) and where events end (`+Fates`). A description is bound once for a population:
/// its templates are compiled into programs that write events (`Events`).
package struct DeclaredSystem: RowCustodian {
    /// The state of one device.
    package typealias Device = DeclaredDevice

    let plan: PopulationPlan
    let streams: PopulationStreams
    package let multiplexes: Bool
    /// The description that the device follows which is stepped; of others it differs in what a launch may change.
    var sdk: DescribedSDK
    let templates: DeclaredTemplates
    var networkMask: NetworkMask
    /// Networks whose arrival sets off an upload.
    var wakingNetworks: NetworkMask
    /// For each template, whether its event is uploaded at once.
    var isImmediate: [Bool]
    /// Whether events tell how often the app came and went.
    let countsForegrounds: Bool
    /// By moment, what it fetches.
    let fetches: [[DeclaredFetchRule]]
    /// Whether anything asks for the bytes of events, in any version of the app: they are counted from the capture on.
    let countsBytes: Bool
    /// Whether a limit of the store does, whose rows have nothing yet of what events get when they are sent.
    let countsStoredBytes: Bool
    /// Whether events may wait for a configuration.
    let holdsCaptures: Bool
    /// By lane, the main one first.
    let encoders: [DeclaredEncoder]
    /// By lane, those of rows as the store has them: the same where events get nothing when they are sent.
    let storeEncoders: [DeclaredEncoder]
    /// By lane, whether events are told at each attempt whose they are.
    let tellsSender: [Bool]
    let heads: [RequestHead]
    /// By template, the lane that its events take.
    let lanes: [UInt8]
    /// Those of fetches, by configuration.
    let fetchHeads: [RequestHead]
    /// What configurations have turned on any device; first nothing.
    var turnedStates = [DescribedSDK.Turned()]
    package var acknowledged = AcknowledgedRows()

    /// Makes the system of a population.
    package init(plan: PopulationPlan, rules: DeclaredRules) {
        self.plan = plan
        streams = plan.streams
        multiplexes = plan.multiplexes
        let texts = DeclaredPopulationTexts(plan)
        let templates = DeclaredTemplates(app: plan.app, events: rules.sdk.events, texts: texts)
        self.templates = templates
        let inForce = DeclaredRulesInForce(rules, templates)
        sdk = inForce.sdk
        networkMask = inForce.networkMask
        wakingNetworks = inForce.wakingNetworks
        isImmediate = inForce.isImmediate
        let placeholders = templates.kinds.compactMap(\.template).flatMap(\.envelope.placeholders)
        countsForegrounds = placeholders.contains {
            $0.source == .foregroundIndex || $0.source == .backgroundIndex
        }
        fetches = rules.sdk.fetches
        let updates = plan.rollOuts.compactMap { $0.rules as? DeclaredRules }
        let versions = ([rules] + updates).map(\.sdk)
        countsBytes = versions.contains(where: \.countsBytes)
        let countsStored = versions.contains(where: \.countsStoredBytes)
        countsStoredBytes = countsStored
        holdsCaptures = rules.sdk.configs.contains { $0.holds != nil }
        lanes = templates.kinds.map { UInt8($0.template?.lane ?? 0) }
        let encoders = rules.sdk.requests.map { Self.encoder(of: $0, plan, rules.sdk, templates) }
        self.encoders = encoders
        storeEncoders = zip(rules.sdk.requests, encoders).map { request, own in
            guard countsStored, !request.perEvent.isEmpty else { return own }
            var request = request
            request.perEvent = []
            return Self.encoder(of: request, plan, rules.sdk, templates)
        }
        tellsSender = rules.sdk.requests.map { request in
            Template.object(request.perEvent).placeholders.contains { $0.source == .sender }
        }
        heads = rules.sdk.requests.enumerated().map { lane, request in
            // A target names the way of the main lane alone.
            Self.head(plan, request, at: lane == 0 ? plan.target.pathAndQuery : request.path, texts)
        }
        fetchHeads = rules.sdk.configs.map { Self.head(plan, $0, texts) }
    }

    private static func encoder(
        of request: DescribedSDK.Request, _ plan: PopulationPlan, _ sdk: DescribedSDK,
        _ templates: DeclaredTemplates
    ) -> DeclaredEncoder {
        var sdk = sdk
        sdk.request = request
        return DeclaredEncoder(plan: plan, sdk: sdk, templates: templates)
    }

    private static func head(
        _ plan: PopulationPlan, _ config: DescribedSDK.Config, _ texts: DeclaredPopulationTexts
    ) -> RequestHead {
        let lines = config.body == nil ? "" : "Content-Type: application/json\r\n"
        return RequestHead(
            method: config.method == .get ? .get : .post,
            path: path(texts.path(of: config.path), with: config.query, texts),
            headerLines: plan.target.headerLines(after: lines))
    }

    /// A path with a query, behind the one that it may have: what that names is as it says.
    private static func path(
        _ path: String, with query: [DescribedSDK.Request.Line], _ texts: DeclaredPopulationTexts
    ) -> String {
        let escaping = PercentEncoding.unreserved
        let own = path.split(separator: "?", maxSplits: 1).dropFirst().joined().split(separator: "&")
        let named = Set(own.map { $0.prefix { $0 != "=" } })
        let parts = query.compactMap { line -> String? in
            let name = escaping.encode(line.name)
            return named.contains(name[...]) ? nil : "\(name)=\(escaping.encode(texts.text(of: line.value)))"
        }
        guard !parts.isEmpty else { return path }
        return path + (path.contains("?") ? "&" : "?") + parts.joined(separator: "&")
    }

    private static func head(
        _ plan: PopulationPlan, _ request: DescribedSDK.Request, at path: String,
        _ texts: DeclaredPopulationTexts
    ) -> RequestHead {
        var lines = request.headers.map { "\($0.name): \(texts.text(of: $0.value))\r\n" }.joined()
        if request.compress == .gzip { lines += "Content-Encoding: gzip\r\n" }
        let method: RequestHead.Method =
            switch request.method {
            case .get: .get
            case .post: .post
            case .put: .put
            }
        return RequestHead(
            method: method, path: self.path(path, with: request.query, texts),
            headerLines: plan.target.headerLines(after: lines))
    }

    package var labels: [EventLabel] { templates.labels }

    package func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device {
        var epoch = DeclaredEpoch(start: plan.start, network: plan.initialNetwork(index: index))
        epoch.anonymousSince = sdk.anonymousSince(ofDevice: index, in: plan)
        var device = DeclaredDevice(
            index: index, slot: slot, number: number, epoch: epoch,
            volatileFrom: sdk.storage.persist == .each ? .max : 0)
        device.isRefused = sdk.consent?.initial == .absent
        return device
    }

    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if device.flushDue <= now, let interval = interval(of: device) {
            let due = device.flushDue
            device.flushDue = due + interval
            beginFlush(&device, .timer, due: due, now: now, effects: &effects)
        } else if device.retryDue <= now {
            device.retryDue = .distantFuture
            beginFlush(&device, .retry, due: now, now: now, effects: &effects)
        }
    }

    package mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        let before = device.network
        device.epochs.change { $0.network = kind }
        guard device.isRunning, kind != before else { return }
        if kind != .none, sdk.retry.latch?.until.contains(.network) ?? false {
            device.state.remove(.isLatched)
        }
        if wakingNetworks.contains(kind) {
            beginFlush(&device, .network, due: now, now: now, effects: &effects)
        }
    }

    package mutating func encode(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into body: inout WireBuffer
    ) -> RequestHead {
        if request.kind == .config { return encodeFetch(request, of: &device, at: now, into: &body) }
        guard let open = device.requests.firstIndex(where: { $0.number == request }) else { return heads[0] }
        let lane = lane(of: device.requests[open].rows)
        encoders[lane].encode(
            device.requests[open].rows, index: Int(device.index), number: device.number,
            epochs: device.epochs, at: now, sealed: device.requests[open].sealedAt, into: &body)
        return heads[lane].method == .get ? Self.asking(heads[lane], &body) : heads[lane]
    }

    /// A request without a body: the form is in its query.
    private static func asking(_ head: RequestHead, _ form: inout WireBuffer) -> RequestHead {
        var head = head
        head.path += (head.path.contains("?") ? "&" : "?") + form.text
        form.removeAll(keepingCapacity: true)
        return head
    }

    package mutating func encodePlain(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        guard let open = device.requests.firstIndex(where: { $0.number == request }) else { return nil }
        encoders[lane(of: device.requests[open].rows)].encodeList(
            device.requests[open].rows, index: Int(device.index), number: device.number,
            epochs: device.epochs, at: now, sealed: device.requests[open].sealedAt, into: &plain)
        return .list
    }

    package mutating func carry(
        _ request: RequestNumber, of device: inout Device, at now: Instant, into events: inout CarriedEvents
    ) -> RequestHead? {
        guard let open = device.requests.firstIndex(where: { $0.number == request }) else { return nil }
        let (index, number) = (Int(device.index), device.number)
        // Shared rows have been noted when the request left.
        let isCounted = device.requests[open].sharesRows
        for row in device.requests[open].rows {
            guard events.needsKeys, !isTagged else {
                events.add(row, device: number, isCounted: isCounted)
                continue
            }
            let key = encoders[0].naturalKey(
                row, epoch: device.epochs[row.epoch], index: index, number: number)
            events.add(row, key: .natural(key), isCounted: isCounted)
        }
        return heads[lane(of: device.requests[open].rows)]
    }

    /// The lane that the rows of a request take: all of them take one.
    func lane(of rows: ContiguousArray<EventRecord>) -> Int {
        heads.count == 1 ? 0 : rows.first.map { Int(lanes[Int($0.template)]) } ?? 0
    }

    package var readsAnswers: Bool { sdk.answers.readsBodies }

    /// Whether events bear the harness's id.
    var isTagged: Bool { plan.tagsEvents && sdk.events.tag != nil }
}
