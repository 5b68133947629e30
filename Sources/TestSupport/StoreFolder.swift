package import DeviceSDK
import DeviceStorage
import SensorsSDK
import Synchronization

/// A folder with devices' files that goes with the test.
package final class StoreFolder: Sendable {
    package let path: String
    private let stores: DeviceStores

    /// - Parameters:
    ///   - connections: Files that may be open at once.
    ///   - fleets: Populations times shards.
    package init(connections: Int = 200, fleets: Int = 3) throws {
        path = TestFolder.newPath("beaconswarm-conformance")
        stores = try DeviceStores(folder: path, connectionBudget: connections, fleetCount: fleets)
    }

    deinit { stores.remove() }

    /// Keeps every device's events in a file.
    package var makeFleet: Worlds.FleetFactory {
        { plan, share in self.stores.makeFleet(plan: plan.storingInFiles, share: share) }
    }

    /// What went wrong with the files that was not asked for.
    package var warnings: [String] { stores.warnings }
}

extension PopulationPlan {
    fileprivate var storingInFiles: PopulationPlan {
        var plan = self
        if var rules = system as? SensorsRules {
            rules.storage.backend = .sqlite
            plan.system = rules
        }
        return plan
    }
}

/// Keeps the bodies that a run sends, to compare two runs to the byte.
package final class BodyRecorder: Sendable {
    package struct Body: Hashable, Sendable, CustomStringConvertible {
        package var device: UInt32
        package var request: RequestNumber
        package var bytes: [UInt8]

        /// Whose it is, how long, and where its content may be read, as text.
        package var description: String {
            let text = String(validating: bytes, as: UTF8.self) ?? "\(bytes.prefix(64))"
            return "device \(device), \(request), \(bytes.count) bytes: \(text)"
        }
    }

    private let recorded = Mutex<[Body]>([])

    package init() {}

    /// In the order in which they were made.
    package var bodies: [Body] { recorded.withLock { $0 } }

    /// Wraps the fleets of a factory.
    package func recording(_ factory: @escaping Worlds.FleetFactory) -> Worlds.FleetFactory {
        { plan, share in
            RecordingFleet(factory(plan, share)) { body in self.recorded.withLock { $0.append(body) } }
        }
    }
}
