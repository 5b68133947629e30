import CollectorServer
import LiveEngine
import Measurement
import Reporting
import World

/// What the machine refused to a run itself: nothing that a collector under test, or a simulated device, could help.
enum OwnFailures {
    /// - Parameters:
    ///   - embedded: Of the collector that came with the run, if one did.
    ///   - devices: How often the machine's disk failed the devices' files, and the first time in words.
    static func of(
        _ recorder: RunRecorder, embedded: StoreFailure?, devices: (count: Int, first: String)
    ) -> [Report.OwnFailure] {
        var failures: [Report.OwnFailure] = []
        let noSocket = recorder.total.count(of: .noSocket)
        if noSocket > 0 {
            failures.append(
                Report.OwnFailure(
                    name: RequestFailure.noSocket.name, count: noSocket,
                    text: "\(noSocket.of("upload")) got no socket: the process may open "
                        + "\(MachineLimits.raiseDescriptorLimit()) files (ulimit -n), and the system has "
                        + "\(MachineLimits.ephemeralPorts()) ports for connections to one address; raise the limit, "
                        + "use fewer devices or more addresses in target.urls"))
        }
        if let embedded {
            failures.append(
                Report.OwnFailure(
                    name: "embedded_store", count: max(1, embedded.requests), text: text(embedded)))
        }
        return failures + of(devices: devices)
    }

    /// What alone a simulation may be refused, which has neither sockets nor a collector that stores.
    ///
    /// - Parameter devices: How often the machine's disk failed the devices' files, and the first time in words.
    static func of(devices: (count: Int, first: String)) -> [Report.OwnFailure] {
        guard devices.count > 0 else { return [] }
        return [
            Report.OwnFailure(
                name: "device_store", count: UInt64(devices.count),
                text:
                    "the disk of this machine failed \(devices.count.of("operation")) of the devices' files, "
                    + "first: \(devices.first); make room there, or put them elsewhere with TMPDIR")
        ]
    }

    /// Why what was simulated says nothing, where the machine failed it too often; `nil` where it did not.
    ///
    /// - Parameter uploads: Those that began.
    static func reason(_ failures: [Report.OwnFailure], uploads: UInt64) -> String? {
        var delivery = VerdictRules.Delivery()
        delivery.uploads = uploads
        delivery.ownFailures = failures
        return delivery.ownFailureReason
    }

    private static func text(_ embedded: StoreFailure) -> String {
        let answered = "the embedded collector answered 500 to \(embedded.requests.of("upload"))"
        guard !embedded.isGone else {
            let gone =
                "store \(embedded.path) was removed or replaced; no file of this name holds the events that it took"
            return embedded.requests == 0
                ? "the embedded collector's \(gone)" : "\(answered), since its \(gone)"
        }
        return
            "\(answered), since its store \(embedded.path) took no more events (\(embedded.reason)); make room there, or "
            + "put the store elsewhere with --store or TMPDIR"
    }
}
