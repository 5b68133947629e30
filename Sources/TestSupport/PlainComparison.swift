import Accounting
import CollectorModel
import DeviceSDK
import Measurement
package import Scenario
import Timebase
import VirtualEngine
import Wire

/// Plays scenarios as for a dataset, and reads each upload twice: what is in its body before it is packed, and the body.
package enum PlainComparison {
    /// What came of it.
    package struct Result: Sendable {
        /// What is wrong, in sentences.
        package var problems: [String] = []
        /// Events that were read both ways.
        package var events = 0
        /// Uploads of which only the bytes tell.
        package var packed = 0
    }

    package static func play(_ document: ScenarioDocument) -> Result {
        let configuration = Worlds.configuration(document)
        let fleets = configuration.plans.map { TwiceWritingFleet(Worlds.inMemory($0, .whole)) }
        let reader = TwiceReading(configuration.plans, configuration.collector, fleets)
        var observer = Nobody()
        _ = runVirtually(configuration, fleets: fleets, observer: &observer, arrivals: reader)
        return reader.result
    }

    private struct Nobody: VirtualObserver {
        mutating func sealed(_ events: ContiguousArray<SealedEvent>, population: Int) {}
        mutating func tick(_ recorder: RunRecorder, at now: Instant) -> Bool { true }
    }
}

/// Writes the body of each upload whose content is asked for.
private final class TwiceWritingFleet: ForwardingFleet {
    let base: any DeviceFleet
    private(set) var head: RequestHead?
    private(set) var body = WireBuffer()

    init(_ base: any DeviceFleet) { self.base = base }

    func encodePlain(
        _ slot: Int, request: RequestNumber, at now: Instant, into plain: inout WireBuffer
    ) -> PlainBody? {
        body.removeAll()
        head = base.encode(slot, request: request, at: now, into: &body)
        return base.encodePlain(slot, request: request, at: now, into: &plain)
    }
}

/// Reads both, and compares all that becomes a row.
private final class TwiceReading: ArrivalObserver {
    private struct Row: Equatable {
        var key: EventKey
        var texts: [String]
        var capturedAt: Int64

        init(_ event: CollectedEvent) {
            var value = WireBuffer()
            event.value.appendJSON(to: &value)
            key = event.key
            texts = [event.type, event.name, event.distinctID, event.payload].map {
                String(decoding: $0, as: UTF8.self)
            }
            texts.append(value.text)
            capturedAt = event.capturedAt
        }
    }

    private let fleets: [TwiceWritingFleet]
    private let readers: [(plain: UploadReader, packed: UploadReader)]
    private(set) var result = PlainComparison.Result()

    init(_ plans: [PopulationPlan], _ collector: CollectorPlan, _ fleets: [TwiceWritingFleet]) {
        self.fleets = fleets
        readers = plans.map { plan in
            let system = CollectorSystem(rawValue: plan.system.systemName) ?? .sensors
            let own = collector.reading(plan)
            return (UploadReader(of: system, plan: own), UploadReader(of: system, plan: own))
        }
    }

    func stored(_ upload: StoredUpload) {
        guard case .plain(let form, let plain) = upload.content, let head = fleets[upload.population].head
        else {
            result.packed += 1
            return
        }
        let (plainReader, packedReader) = readers[upload.population]
        var found: [Row] = []
        plainReader.forEachEvent(inPlain: plain, isMessages: form == .messages, at: upload.at) {
            found.append(Row($0))
        }
        var expected: [Row] = []
        fleets[upload.population].body.withUnsafeBytes { bytes in
            packedReader.forEachEvent(in: CollectedRequest(head, body: bytes), at: upload.at) {
                expected.append(Row($0))
            }
        }
        result.events += found.count
        let label = "upload \(upload.request) of device \(upload.device)"
        if found.count != upload.events.count {
            result.problems.append("\(label): \(found.count) events, \(upload.events.count) handed over")
        }
        guard found != expected else { return }
        let first = zip(found, expected).first { $0 != $1 }
        result.problems.append(
            "\(label): \(found.count) and \(expected.count) events; "
                + (first.map { "\($0) instead of \($1)" } ?? "they begin alike"))
    }
}
