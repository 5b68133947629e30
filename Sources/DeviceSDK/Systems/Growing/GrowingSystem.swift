package import Accounting
package import AppModel
package import DeviceSDK
package import Timebase
import Wire
package import World

/// The GrowingIO iOS SDK as a state machine: versions 3.2.1 and 4.11.0, and the published text on custom
/// SDKs.
///
/// What differs between the versions is a rule (``GrowingRules``) wherever it can be turned; the rest follows
/// the version. The files beside this one: hooks and sessions (`+Actions`, `+Session`), what becomes of a
/// captured event (`+Capture`), the two stores with their write buffers (`+Store`), 3.x's queue (`+Queue`),
/// uploads (`+Upload`), their answers and the fates that follow (`+Answers`, `+Fates`).
///
/// Times: the SDK takes an event's `timestamp` on its own thread, which does nothing else but short work on
/// SQLite; here it is the planned time of the action. A row's `createAt` is the time of its insertion in the
/// source, up to a tick later; expiry goes by the time of capture here.
package struct GrowingSystem<Table: GrowingEventTable>: HookingSystem, RowCustodian, DrawingSystem {
    /// The state of one device.
    package typealias Device = GrowingDevice<Table>

    let plan: PopulationPlan
    package let streams: PopulationStreams
    package let multiplexes: Bool
    var rules: GrowingRules
    let templates: GrowingTemplates
    package let views: AppViews
    let hooks: HookTable
    let hasHybrid: Bool
    let services: GrowingServices
    let interceptors: [any GrowingInterceptor]
    /// Whether any of them has something to do with events.
    let hasWatchers: Bool
    let routes: GrowingRoutes
    let endpoints: GrowingEndpoints
    let encoder: GrowingEncoder
    let copies: (any GrowingEventCopySink)?
    /// By template: the policy's bit, and the store.
    let policyBits: [UInt8]
    let stores: [GrowingStoreKind?]
    let isExcluded: [Bool]
    var networkMask: NetworkMask
    var measuring: GrowingMeasuring
    let makeTable: (Int, GrowingStoreKind) -> Table
    /// By channel: the heads of uploads that are handed over without their bytes.
    let carriedHeads: [RequestHead]
    /// What is written for its length alone.
    var unsent = WireBuffer()
    var plain = WireBuffer()
    var packed = WireBuffer()
    /// Delivered rows that are still in a store or in the queue.
    package var acknowledged = AcknowledgedRows()
    /// Of stored rows, where the stores have a bound of bytes.
    var sizes = StoredSizes()

    /// Makes the system of a population.
    ///
    /// - Parameters:
    ///   - services: Those that the rules name and the plan registers, unless others are handed in.
    ///   - modules: Modules of the app, initialized in this order, after the scenario's and the plan's own.
    ///   - copies: Where interceptors with ``GrowingInterceptorRule/copyTo`` write; the plan's by default.
    ///   - makeTable: The database service: makes a store of the device with the given index.
    package init(
        plan: PopulationPlan, rules: GrowingRules, services: GrowingServices? = nil,
        modules: [any GrowingModule] = [], copies: (any GrowingEventCopySink)? = nil,
        makeTable: @escaping (Int, GrowingStoreKind) -> Table
    ) {
        self.plan = plan
        streams = plan.streams
        multiplexes = plan.multiplexes
        self.rules = rules
        self.makeTable = makeTable
        let plugins = plan.growingPlugins
        self.services = services ?? GrowingServices(rules: rules, plugins: plugins)
        self.copies = copies ?? plugins.copies
        let templates = GrowingTemplates(app: plan.app, rules: rules)
        self.templates = templates
        views = AppViews(app: plan.app)
        hooks = GrowingHooks.table(rules)
        hasHybrid = rules.activeModules.contains(.hybrid)
        let interceptors = Self.interceptors(rules, plugins.modules + modules)
        self.interceptors = interceptors
        hasWatchers = interceptors.contains { $0.watchesEvents }
        let routes = GrowingRoutes(
            rules: rules, templates: templates,
            interceptors: Self.order(of: interceptors.count, plan.stream(.business, index: 0).child(6 << 32))
                .map { interceptors[$0] })
        self.routes = routes
        let endpoints = GrowingEndpoints(target: plan.target, rules: rules)
        self.endpoints = endpoints
        carriedHeads = Self.heads(of: routes, endpoints)
        let encoder = GrowingEncoder(
            plan: plan, rules: rules, templates: templates, views: views, routes: routes,
            interceptors: interceptors)
        self.encoder = encoder
        policyBits = templates.all.map(\.policy.bit)
        stores = Self.stores(by: routes)
        isExcluded = templates.all.map { rules.excludedEvents.contains($0.typeName) }
        let inForce = GrowingRulesInForce(rules, encoder, isPlain: !hasWatchers)
        networkMask = inForce.networkMask
        measuring = inForce.measuring
    }

    /// What modules put in the way of events, the scenario's own before all.
    private static func interceptors(
        _ rules: GrowingRules, _ modules: [any GrowingModule]
    ) -> [any GrowingInterceptor] {
        var context = GrowingContext(rules: rules)
        for module in [GrowingScenarioModule()] + modules { module.initialize(&context) }
        return context.interceptors
    }

    private static func stores(by routes: GrowingRoutes) -> [GrowingStoreKind?] {
        routes.channelOf.map { channel in
            channel.map { routes.channels[Int($0)].isCustom ? .realtime : .timing }
        }
    }

    private static func heads(of routes: GrowingRoutes, _ endpoints: GrowingEndpoints) -> [RequestHead] {
        routes.paths.map {
            RequestHead(
                method: .post, path: endpoints.path(template: $0),
                headerLines: endpoints.headerLines(after: ""))
        }
    }

    package var labels: [EventLabel] { templates.labels }

    package func makeDevice(index: Int, slot: UInt32, number: UInt32) -> Device {
        var epoch = GrowingEpoch()
        epoch.network = plan.initialNetwork(index: index)
        return GrowingDevice(
            index: index, slot: slot, number: number, timing: makeTable(index, .timing),
            realtime: makeTable(index, .realtime), epoch: epoch)
    }

    package mutating func fireTimer(
        of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        if device.retry.due <= now {
            device.retry.takeDue()
            sendAll(&device, due: now, now: now, effects: &effects)
            return
        }
        let due = device.tickDue
        device.tickDue = nextTick(after: due, of: device)
        sendAll(&device, due: due, now: now, effects: &effects)
    }

    package mutating func setNetwork(
        _ kind: NetworkKind, of device: inout Device, at now: Instant, effects: inout DeviceEffects
    ) {
        device.epochs.change { $0.network = kind }
    }

    // MARK: - What several parts ask

    /// The encoder's view of an event.
    @inline(__always)
    func event(_ record: EventRecord, of device: borrowing Device) -> GrowingEvent {
        GrowingEvent(
            record: record, epoch: device.epochs[record.epoch], ids: device.sequenceIDs[record.sequence],
            index: Int(device.index), number: device.number)
    }

    /// The interceptors' order in the process that an epoch belongs to: another in each process.
    func order(_ index: Int, process: UInt32) -> [Int] {
        guard interceptors.count > 1 else { return Array(interceptors.indices) }
        return Self.order(
            of: interceptors.count,
            streams.stream(.lifecycle, index: index).child(7 << 32 | UInt64(process)))
    }

    /// The order of those that watch events.
    @inline(__always)
    func watchers(_ index: Int, process: UInt32) -> [Int] {
        hasWatchers ? order(index, process: process).filter { interceptors[$0].watchesEvents } : []
    }

    private static func order(of count: Int, _ stream: RandomStream) -> [Int] {
        var stream = stream
        var order = Array(0..<count)
        for index in stride(from: count - 1, to: 0, by: -1) {
            order.swapAt(index, Int(stream.below(UInt64(index + 1))))
        }
        return order
    }

    /// Days since 1970-01-01 on the device's own calendar.
    func localDay(_ now: Instant, of device: borrowing Device) -> Int64 {
        let local = now + encoder.skew(Int(device.index))
        return CivilTime.dayNumber(local, offset: plan.utcOffset(index: Int(device.index), at: local))
    }
}

extension GrowingSystem where Table == GrowingMemoryTable {
    /// Makes the system of a population whose stores are in memory.
    package init(
        plan: PopulationPlan, rules: GrowingRules, services: GrowingServices? = nil,
        modules: [any GrowingModule] = [], copies: (any GrowingEventCopySink)? = nil
    ) {
        self.init(
            plan: plan, rules: rules, services: services, modules: modules, copies: copies,
            makeTable: { _, _ in GrowingMemoryTable() })
    }
}

/// Where interceptors copy events to (the published text's example 3.1): a file, a database of the app's own.
package protocol GrowingEventCopySink: Sendable {
    /// Takes one event as JSON.
    ///
    /// - Parameter name: What the interceptor calls the copy.
    func copy(_ event: UnsafeRawBufferPointer, to name: String)
}
