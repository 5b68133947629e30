import Accounting
import DeviceSDK
import Measurement
import SensorsSDK
import Timebase
import VirtualEngine
import Wire

/// A fixed amount of one kind of work, for counting instructions and allocations:
/// `valgrind --tool=callgrind beaconswarm-bench work events 200`. The difference between two amounts
/// is free of what happens once.
enum Work {
    static let names = [
        "events-1", "events-4", "body", "batches-1", "batches-4", "mixpanel-ios", "posthog-ios", "epochs",
        "devices", "users", "uploads", "recorder", "fingerprint",
    ]

    /// Does the work.
    ///
    /// - Returns: what was done, in words; `nil` for an unknown name.
    static func run(_ name: String, amount: Int) -> String? {
        switch name {
        case "events-1": events(.v1, rounds: amount)
        case "events-4": events(.v4, rounds: amount)
        case "body": bodies(rounds: amount)
        case "batches-1": batches(.v1, rounds: amount)
        case "batches-4": batches(.v4, rounds: amount)
        case "epochs": epochs(rounds: amount)
        case "mixpanel-ios", "posthog-ios": described(name, rounds: amount)
        case "devices": simulate(devices: amount, uploads: false)
        case "users": simulateUsers(devices: amount)
        case "uploads": simulate(devices: amount, uploads: true)
        case "recorder": record(rounds: amount)
        case "fingerprint": fingerprint(devices: amount)
        default: nil
        }
    }

    private static func events(_ version: SensorsRules.Version, rounds: Int) -> String {
        let events = Fixture.Events(version)
        var out = WireBuffer()
        for _ in 0..<rounds {
            out.removeAll()
            events.write(into: &out)
        }
        return "\(rounds * Fixture.batchSize) events of \(out.count / Fixture.batchSize) bytes"
    }

    private static func bodies(rounds: Int) -> String {
        let events = Fixture.Events(.v4)
        var out = WireBuffer()
        for _ in 0..<rounds {
            out.removeAll()
            events.writeBody(into: &out)
        }
        return "\(rounds) bodies of \(out.count) bytes"
    }

    private static func batches(_ version: SensorsRules.Version, rounds: Int) -> String {
        let batches = ManyBatches(version)
        var out = WireBuffer()
        var bytes = 0
        for round in 0..<rounds {
            out.removeAll()
            batches.write(round, into: &out)
            bytes += out.count
        }
        return "\(rounds) bodies of \(bytes / max(1, rounds)) bytes"
    }

    private static func described(_ preset: String, rounds: Int) -> String {
        guard var batch = DescribedBatch(preset: preset) else { return "\(preset) sends no batch" }
        var bytes = 0
        for _ in 0..<rounds { bytes += batch.write().count }
        return "\(rounds) bodies of \(bytes / max(1, rounds)) bytes"
    }

    /// Two devices in turn, so that everything cached per device and epoch is made anew.
    private static func epochs(rounds: Int) -> String {
        let events = Fixture.Events(.v4)
        var out = WireBuffer()
        for round in 0..<rounds {
            out.removeAll()
            let index = round & 1
            events.encoder.encode(
                events.records[0], epoch: events.epoch,
                traits: SensorsTraits(plan: events.plan, index: index),
                index: index, device: UInt32(index), flushTime: 0, into: &out)
        }
        return "\(rounds) epochs"
    }

    private static func simulate(devices: Int, uploads: Bool) -> String {
        let result = SimulatedRun.run(.v4, devices: devices, duration: .hours(1), uploads: uploads)
        return "\(result.wakes) wakes, \(result.recorder.total.ledger.captured) events"
    }

    /// Devices that are all there from the start, offline, for four hours.
    private static func simulateUsers(devices: Int) -> String {
        let (fleet, configuration) = SimulatedRun.prepare(
            .v4, devices: devices, duration: .hours(4), uploads: false, opensAtArrival: false)
        let result = SimulatedRun.run([fleet], configuration)
        return "\(result.wakes) wakes, \(result.recorder.total.ledger.captured) events"
    }

    private static func record(rounds: Int) -> String {
        var recorder = RunRecorder(start: Fixture.start, populationCount: 1)
        let events = ContiguousArray(
            (0..<50).map {
                SealedEvent(
                    id: EventID(device: 1, sequence: UInt32($0)), label: 1, attempts: 1,
                    disposition: .delivered, capturedAt: Fixture.start,
                    ackedAt: Fixture.start + .milliseconds(Int64($0)))
            })
        var sample = RequestSample(plannedAt: Fixture.start, finishedAt: Fixture.start + .milliseconds(3))
        sample.status = 200
        sample.isAcknowledged = true
        for _ in 0..<rounds {
            recorder.note(events, population: 0)
            recorder.note(sample, population: 0)
        }
        return "\(rounds * 50) events, \(rounds) requests, \(recorder.eventFingerprint)"
    }

    private static func fingerprint(devices: Int) -> String {
        var text: [String] = []
        for version in [SensorsRules.Version.v1, .v4] {
            let (fleet, configuration) = SimulatedRun.prepare(
                version, devices: devices, duration: .hours(1), uploads: true)
            let hashed = FingerprintingFleet(fleet)
            let result = SimulatedRun.run([hashed], configuration)
            text.append(
                "\(version.rawValue): \(hashed.bodies) bodies, \(hashed.bytes) bytes, \(hashed.fingerprint), "
                    + "events \(result.recorder.eventFingerprint), wakes \(result.wakes)")
        }
        return text.joined(separator: "\n")
    }
}
