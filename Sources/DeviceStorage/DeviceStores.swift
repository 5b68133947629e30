package import DeviceSDK
import SensorsSDK

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The database files of a run's devices: one folder, with a file `device-<number>.sqlite` for each
/// device of a population that asks for the backend `sqlite`.
///
/// ```swift
/// let stores = try DeviceStores(folder: "/tmp/run", connectionBudget: 2000, fleetCount: 1)
/// let fleet = stores.makeFleet(plan: plan, share: .whole)
/// ```
package final class DeviceStores: Sendable {
    /// The folder with the files.
    package let folder: String
    private let connectionsPerFleet: Int
    private let storeWarnings = StoreWarnings()

    /// Creates the folder.
    ///
    /// - Parameters:
    ///   - folder: Must not exist; the folder above it must.
    ///   - connectionBudget: Files that may be open at once, in all fleets together.
    ///   - fleetCount: Fleets with files: populations times shards.
    /// - Throws: ``DeviceStoresError`` if the folder cannot be created.
    package init(folder: String, connectionBudget: Int, fleetCount: Int) throws(DeviceStoresError) {
        self.folder = folder
        // Each fleet may have one more: the journal of its running transaction.
        connectionsPerFleet = max(1, connectionBudget / max(1, fleetCount) - 1)
        guard mkdir(folder, 0o755) == 0 else {
            throw DeviceStoresError(text: "\(folder): \(String(cString: strerror(errno)))")
        }
    }

    /// Makes the devices of a population, or of a shard's share of it, with the stores that the plan
    /// names.
    package func makeFleet(plan: PopulationPlan, share: ShardShare) -> any DeviceFleet {
        guard let rules = plan.system as? SensorsRules, rules.storesInFiles else {
            return DeviceSDK.makeFleet(plan: plan, share: share)
        }
        let cache = ConnectionCache(capacity: connectionsPerFleet, storeWarnings: storeWarnings)
        let layout: TableLayout = rules.marksInFile ? .withStatus : .plain
        let first = Int(plan.firstDevice)
        let system = SensorsSystem(plan: plan, rules: rules) { [folder] index in
            let path = "\(folder)/device-\(first + index).sqlite"
            return SQLiteStore(file: DeviceFile(path: path, layout: layout), cache: cache)
        }
        return GenericFleet(plan: plan, share: share, system: system)
    }

    /// What went wrong without the scenario's doing, in sentences: failures of the host's own disk, and
    /// files that did not hold what they should.
    package var warnings: [String] { storeWarnings.warnings }

    /// How often the machine's own disk failed, and the first time in words.
    package var hostFailures: (count: Int, first: String) { storeWarnings.hostFailures }

    /// Deletes the files of this run's devices, and the folder if nothing else is in it.
    package func remove() {
        guard let directory = opendir(folder) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix("device-") { unlink("\(folder)/\(name)") }
        }
        closedir(directory)
        rmdir(folder)
    }
}

/// Why a run's folder of device stores cannot be made.
package struct DeviceStoresError: Error, CustomStringConvertible {
    package var text: String
    package var description: String { text }
}

extension PopulationPlan {
    /// Whether the population's devices keep their events in files.
    package var storesInFiles: Bool { system.storesInFiles }
}
