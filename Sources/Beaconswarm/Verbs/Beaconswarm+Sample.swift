import DeviceSDK
import Scenario
import Timebase
import Wire
import World

extension Beaconswarm {
    /// Prints one request of each population: raw, decoded, and as a curl command.
    ///
    /// The request is the first upload of the population's first device that sends one, among its
    /// first 50, as it leaves in virtual time.
    ///
    /// - Throws: ``CommandFailure`` with code 104 for an invalid scenario.
    public static func sample(_ source: ScenarioSource) async throws -> CommandStatus {
        let scenario = try LoadedScenario(source)
        let plans = scenario.document.plans(start: scenario.document.start ?? ScenarioDocument.virtualStart)
        for plan in plans.populations {
            guard let request = SampledRequest(of: plan, until: plans.schedule.drainEnd) else {
                Console.output("# \(plan.name): none of its first devices sends anything within the run\n\n")
                continue
            }
            Console.output(scenario.document.redact(request.text(plan)))
        }
        return .success
    }
}

/// An upload as it would leave a device.
private struct SampledRequest {
    /// Devices to look at before giving up.
    private static let candidates = 50

    var head: RequestHead
    var body: WireBuffer
    var device: UInt32
    var eventCount: Int

    init?(of plan: PopulationPlan, until end: Instant) {
        var reduced = plan
        reduced.deviceCount = min(plan.deviceCount, SampledRequest.candidates)
        let fleet = makeFleet(plan: reduced, share: .whole)
        for slot in 0..<fleet.deviceCount {
            if let request = SampledRequest(fleet, slot: slot, until: end) {
                self = request
                return
            }
        }
        return nil
    }

    private init?(_ fleet: any DeviceFleet, slot: Int, until end: Instant) {
        var effects = DeviceEffects()
        var now = fleet.arrival(of: slot)
        while now <= end {
            effects.removeAll()
            var next = fleet.advance(slot, through: now, effects: &effects)
            let requests = effects.requests
            for request in requests {
                if request.number.kind == .upload, request.network != .none {
                    var body = WireBuffer()
                    head = fleet.encode(slot, request: request.number, at: now, into: &body)
                    self.body = body
                    device = fleet.globalNumber(of: slot)
                    eventCount = Int(request.eventCount)
                    return
                }
                effects.removeAll()
                let outcome: RequestOutcome =
                    request.network == .none ? .failed(.offline) : .answered(status: 304, body: [])
                next = fleet.complete(
                    slot, request: request.number, outcome: outcome, at: now, effects: &effects)
            }
            guard next != .distantFuture else { return nil }
            now = max(next, now)
        }
        return nil
    }

    func text(_ plan: PopulationPlan) -> String {
        let url = "\(plan.target.scheme)://\(plan.target.host):\(plan.target.port)\(head.path)"
        let headers = head.headerLines.split(separator: "\r\n").map(String.init)
        var text = "# \(plan.name): device \(device), \(eventCount) events, \(body.count) bytes\n\n"
        text += "## raw\n\nPOST \(head.path) HTTP/1.1\nHost: \(plan.target.host):\(plan.target.port)\n"
        for header in headers { text += header + "\n" }
        text += "Content-Length: \(body.count)\n\n\(body.text)\n\n"
        text += "## decoded\n\n\(decoded)\n\n## curl\n\n"
        text += "curl -sS -X POST \(SampledRequest.quoted(url))"
        for header in headers { text += " \\\n  -H \(SampledRequest.quoted(header))" }
        return text + " \\\n  --data-binary \(SampledRequest.quoted(body.text))\n\n"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The form's fields, and each event on a line of its own.
    private var decoded: String {
        var text = ""
        body.withUnsafeBytes { bytes in
            var fields = FormDecoder(bytes)
            while let field = try? fields.next() {
                var value = WireBuffer()
                guard (try? field.appendValue(to: &value)) != nil else { continue }
                let name = String(decoding: field.rawName, as: UTF8.self)
                guard name == "data_list" else {
                    text += "\(name) = \(value.text)\n"
                    continue
                }
                text += "\(name) =\n" + SampledRequest.events(value)
            }
        }
        return text
    }

    private static func events(_ value: WireBuffer) -> String {
        var packed = WireBuffer()
        var json = WireBuffer()
        let isBase64 = value.withUnsafeBytes { Base64.decode($0, into: &packed) }
        do {
            guard isBase64 else { return "  (not base64)\n" }
            let decoder = GzipDecoder(limit: 64 << 20)
            try packed.withUnsafeBytes { try decoder.decompress($0, into: &json) }
            let parser = JSONParser()
            return try json.withUnsafeBytes { bytes in
                try parser.withParsed(bytes) { list in
                    var text = ""
                    list.forEachElement { event in
                        var line = WireBuffer()
                        event.appendJSON(to: &line)
                        text += "  \(line.text)\n"
                    }
                    return text
                }
            }
        } catch {
            return "  (unreadable: \(error))\n"
        }
    }
}
