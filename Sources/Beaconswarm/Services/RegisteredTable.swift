import Accounting
import DeviceSDK
import GrowingSDK
import Timebase

/// A registered database behind the SDK's own protocol.
///
/// What the simulation notes about events lies in a table in memory that mirrors the file; the database decides which
/// rows are there.
struct RegisteredTable: GrowingEventTable {
    private var mirror = GrowingMemoryTable()
    private var database: any EventDatabase
    private let labels: [EventLabel]

    /// - Parameter labels: Types and names by the rows' templates.
    init(_ database: any EventDatabase, labels: [EventLabel]) {
        self.database = database
        self.labels = labels
    }

    var count: Int { mirror.count }
    var idleCount: Int { mirror.idleCount }
    var first: EventRecord? { mirror.first }

    mutating func open(_ lost: (EventRecord) -> Void) {
        mirror.open(lost)
        guard mirror.canRead else { return }
        database.open()
        let held = Set(database.ids)
        var missing = ContiguousArray<EventRecord>()
        mirror.forEach { if !held.contains($0.sequence) { missing.append($0) } }
        mirror.drop(missing)
        missing.forEach(lost)
    }

    mutating func close() {
        if mirror.canRead { database.close() }
        mirror.close()
    }

    mutating func insert(
        _ rows: ContiguousArray<EventRecord>, _ evicted: (EventRecord) -> Void
    ) -> Bool {
        guard mirror.canWrite,
            case .written(let ids) = database.insert(rows.map(event)), mirror.insert(rows, { _ in })
        else { return false }
        guard !ids.isEmpty else { return true }
        let gone = Set(ids)
        var victims = ContiguousArray<EventRecord>()
        mirror.forEach { if gone.contains($0.sequence) { victims.append($0) } }
        mirror.drop(victims)
        victims.forEach(evicted)
        return true
    }

    private func event(_ row: EventRecord) -> StoredEvent {
        let label = labels[Int(row.template)]
        return StoredEvent(
            id: row.sequence, capturedAt: row.capturedAt.milliseconds, type: label.type, name: label.name)
    }

    mutating func delete(
        _ rows: ContiguousArray<EventRecord>, _ deleted: (EventRecord) -> Void
    ) -> Bool {
        mirror.canWrite && database.delete(rows.map(\.sequence)) && mirror.delete(rows, deleted)
    }

    mutating func expire(through moment: Instant, _ deleted: (EventRecord) -> Void) {
        var old = ContiguousArray<EventRecord>()
        mirror.forEach { if $0.capturedAt <= moment { old.append($0) } }
        if !old.isEmpty { _ = delete(old, deleted) }
    }

    func select(_ body: (EventRecord) -> Bool) { mirror.select(body) }

    mutating func update(
        _ rows: ContiguousArray<EventRecord>, mark: Bool?, _ change: (inout EventRecord) -> Void
    ) {
        mirror.update(rows, mark: mark, change)
    }

    mutating func resetMarks(_ change: (inout EventRecord) -> Void) { mirror.resetMarks(change) }
    func forEach(_ body: (EventRecord) -> Void) { mirror.forEach(body) }
    mutating func setDisk(_ condition: DiskCondition) { mirror.setDisk(condition) }
    mutating func damage(_ lost: (EventRecord) -> Void) { mirror.damage(lost) }
}

/// The databases that a program registers, by population.
struct RegisteredDatabases: Sendable {
    /// By index of the population.
    private var makers: [Int: @Sendable (DatabaseFile) -> any EventDatabase] = [:]

    subscript(population: Int) -> (@Sendable (DatabaseFile) -> any EventDatabase)? {
        get { makers[population] }
        set { makers[population] = newValue }
    }

    /// Makes the devices of a share whose population has a registered database; `nil` for any other.
    func makeFleet(plan: PopulationPlan, share: ShardShare) -> (any DeviceFleet)? {
        guard let maker = makers[plan.index], let rules = plan.system as? GrowingRules else { return nil }
        let labels = GrowingTemplates(app: plan.app, rules: rules).labels
        let system = GrowingSystem<RegisteredTable>(plan: plan, rules: rules) { index, kind in
            let file = DatabaseFile(
                device: plan.firstDevice + UInt32(index), store: kind == .timing ? .timing : .realtime)
            return RegisteredTable(maker(file), labels: labels)
        }
        return GenericFleet(plan: plan, share: share, system: system)
    }
}
