import DeviceSDK
import DeviceStorage
import Files
import Scenario
import Synchronization
import Timebase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a run's devices keep their events: in memory, and in files where a population says so.
struct RunStores: Sendable {
    private let files: DeviceStores?
    private let isTemporary: Bool
    private let databases: RegisteredDatabases

    /// Makes the folder for devices' files, if any device has one.
    ///
    /// - Parameters:
    ///   - keep: A folder that stays; `nil` for one that goes with the run.
    ///   - connections: Files that may be open at once.
    ///   - shards: Parts that each population is divided into.
    /// - Throws: ``CommandFailure`` with code 64 if the folder cannot be made, or if there is nothing to keep.
    init(
        _ scenario: LoadedScenario, keep: String?, connections: Int, shards: Int
    ) throws(CommandFailure) {
        try RunStores.check(keep: keep, of: scenario)
        isTemporary = keep == nil
        databases = scenario.databases
        let populations = scenario.document.populations.filter(\.storesInFiles).count
        guard populations > 0 else {
            files = nil
            return
        }
        do throws(DeviceStoresError) {
            files = try DeviceStores(
                folder: keep ?? RunStores.temporaryPath, connectionBudget: connections,
                fleetCount: populations * shards)
        } catch {
            throw CommandFailure(.usage, "the folder of the devices' stores cannot be made: \(error)")
        }
    }

    /// Refuses to keep files of devices that have none.
    ///
    /// - Throws: ``CommandFailure`` with code 64.
    static func check(keep: String?, of scenario: LoadedScenario) throws(CommandFailure) {
        guard keep != nil, scenario.filesOfDevices == 0 else { return }
        throw CommandFailure(.usage, "--keep-stores: no population has the storage backend \"sqlite\"")
    }

    private static var temporaryPath: String {
        let base = Host.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        let number = folderCount.add(1, ordering: .relaxed).newValue
        return Folder.path(
            of: "beaconswarm-stores-\(getpid())-\(Host.monotonic.nanoseconds)-\(number)", in: base)
    }

    /// Simulations of one process go on side by side.
    private static let folderCount = Atomic<Int>(0)

    /// Makes a shard's part of a population.
    var fleetFactory: @Sendable (PopulationPlan, ShardShare) -> any DeviceFleet {
        { [files, databases] plan, share in
            databases.makeFleet(plan: plan, share: share) ?? files?.makeFleet(plan: plan, share: share)
                ?? DeviceSDK.makeFleet(plan: plan, share: share)
        }
    }

    /// The same with all stores in memory, which do what those in files do: no disk is needed to look ahead.
    var fleetFactoryInMemory: @Sendable (PopulationPlan, ShardShare) -> any DeviceFleet {
        { [databases] plan, share in
            databases.makeFleet(plan: plan, share: share) ?? DeviceSDK.makeFleet(plan: plan, share: share)
        }
    }

    /// What went wrong with the files without the scenario's doing.
    var warnings: [String] { files?.warnings ?? [] }

    /// How often the machine's own disk failed the devices' files, and the first time in words.
    var hostFailures: (count: Int, first: String) { files?.hostFailures ?? (0, "") }

    /// Deletes the files, unless they were to be kept.
    func removeIfTemporary() {
        if isTemporary { remove() }
    }

    /// Deletes the files of a run that did not begin.
    func remove() { files?.remove() }
}

extension LoadedScenario {
    /// How many devices have a file of their own.
    var filesOfDevices: Int {
        document.populations.filter(\.storesInFiles).reduce(0) { $0 + $1.devices }
    }
}
