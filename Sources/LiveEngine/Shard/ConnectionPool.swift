import DeviceSDK

/// Connections of one kind: how many there may be, and the line of requests that wait for one, the first
/// first.
///
/// A shard has one pool without a limit of its own for all connections that belong to devices, and one
/// for each address of a population whose devices share connections.
struct ConnectionPool {
    /// Connections at once, those being opened included.
    var limit = Int.max
    var count = 0
    fileprivate var line = RingQueue<RequestKey>()
    /// Connections of HTTP/2 that may have room for another stream, to be used in turn.
    var shared = RingQueue<Connection>()

    /// Who has waited longest, ended or not.
    var firstInLine: RequestKey? { line.first }
}

/// The pools of a shard. The first is of the connections that belong to devices.
struct ConnectionPools {
    private var pools: ContiguousArray<ConnectionPool> = [ConnectionPool()]
    /// Requests in the lines, those that ended there included.
    private var waitingCount = 0
    private var isServing = false
    /// The pool from whose line a request went last.
    var lastServed = 0

    var count: Int { pools.count }
    /// Connections that the pools count.
    var connectionCount: Int { pools.reduce(0) { $0 + $1.count } }

    subscript(pool: Int) -> ConnectionPool {
        _read { yield pools[pool] }
        _modify { yield &pools[pool] }
    }

    /// Adds pools that may have so many connections each.
    ///
    /// - Returns: the first one's index.
    mutating func add(limits: [Int]) -> Int {
        pools += limits.map { ConnectionPool(limit: $0) }
        return pools.count - limits.count
    }

    /// Adds the pools of a population, if it has any.
    ///
    /// - Returns: the first one's index; 0 where each device has connections of its own.
    mutating func add(for plan: PopulationPlan, _ share: ShardShare, at position: LoopPosition) -> Int {
        guard case .pooled(let total) = plan.target.connections else { return 0 }
        return add(limits: PoolSplit.limits(of: total, plan, share, at: position))
    }

    /// Lets a request wait for a connection of a pool.
    mutating func append(_ request: RequestKey, to pool: Int) {
        pools[pool].line.append(request)
        waitingCount += 1
    }

    /// Takes the first request out of a pool's line.
    mutating func popFirst(of pool: Int) {
        if pools[pool].line.popFirst() != nil { waitingCount -= 1 }
    }

    /// Notes that the lines are to be looked at.
    ///
    /// - Returns: whether that was not noted yet, and somebody waits.
    mutating func beginServing() -> Bool {
        guard waitingCount > 0, !isServing else { return false }
        isServing = true
        return true
    }

    /// The lines are looked at now.
    mutating func endServing() { isServing = false }
}

/// How a population's shared connections are split.
///
/// Nothing is shared between event loops, so each gets a part of the connections by its number of
/// devices, and each address within it: largest remainders, ties to the earlier, at least one where there
/// is a device.
struct PoolSplit {
    /// Devices of each shard at each address: `devices[shard][target]`.
    private let devices: [[Int]]

    /// - Parameter share: The devices that are divided among shards.
    /// - Complexity: O(devices).
    init(_ plan: PopulationPlan, shards: Int, of share: ShardShare = .whole) {
        var devices = Array(repeating: Array(repeating: 0, count: plan.targets.count), count: shards)
        for slot in 0..<share.deviceCount(of: plan.deviceCount) {
            let number = plan.firstDevice + UInt32(share.populationIndex(ofSlot: slot))
            devices[slot % shards][plan.targetIndex(ofDevice: number)] += 1
        }
        self.devices = devices
    }

    /// The limits of a shard's pools, by address.
    ///
    /// The run's connections are split among its parts first, and each part's among its event loops: no part knows how
    /// many loops another has.
    static func limits(of total: Int, _ plan: PopulationPlan, _ share: ShardShare, at position: LoopPosition)
        -> [Int]
    {
        PoolSplit(plan, shards: position.count, of: share).limits(of: part(of: total, plan, share))[
            position.index]
    }

    /// The connections of a part of the run.
    private static func part(of total: Int, _ plan: PopulationPlan, _ share: ShardShare) -> Int {
        guard share.count > 1 else { return total }
        return PoolSplit(plan, shards: share.count).limits(of: total)[share.index].reduce(0, +)
    }

    /// Whether so many parts of the run can each have a connection for every device to wait for.
    static func fits(parts: Int, in plan: PopulationPlan) -> Bool {
        guard parts > 1, case .pooled(let total) = plan.target.connections else { return true }
        return PoolSplit(plan, shards: parts).fewest <= total
    }

    /// The fewest connections that leave nobody without one.
    var fewest: Int { devices.joined().count { $0 > 0 } }

    /// The limits, as ``devices`` is laid out: `total` in all, or ``fewest`` where that is more.
    func limits(of total: Int) -> [[Int]] {
        let weights = Array(devices.joined())
        let sum = max(1, weights.reduce(0, +))
        var limits = weights.map { max($0 > 0 ? 1 : 0, total * $0 / sum) }
        let byRemainder = weights.indices.sorted {
            let left = total * weights[$0] % sum
            let right = total * weights[$1] % sum
            return left != right ? left > right : $0 < $1
        }
        var rest = total - limits.reduce(0, +)
        for index in byRemainder where rest > 0 && weights[index] > 0 {
            limits[index] += 1
            rest -= 1
        }
        // Those that were raised to one took it from the largest.
        while rest < 0, let largest = limits.indices.max(by: { limits[$0] < limits[$1] }), limits[largest] > 1
        {
            limits[largest] -= 1
            rest += 1
        }
        let width = devices.first?.count ?? 1
        return stride(from: 0, to: limits.count, by: width).map { Array(limits[$0..<$0 + width]) }
    }

    /// The most shards, of those at hand, in which every device has a connection to wait for.
    static func shards(
        _ available: Int, for plans: [PopulationPlan], of share: ShardShare = .whole
    ) -> Int {
        var shards = available
        for plan in plans {
            guard case .pooled(let total) = plan.target.connections else { continue }
            let part = part(of: total, plan, share)
            while shards > 1, PoolSplit(plan, shards: shards, of: share).fewest > part { shards -= 1 }
        }
        return shards
    }
}
