import CollectorModel
import DeviceSDK
import Rendering
import Scenario
import Timebase
import Wire
import World

/// An upload as it would leave a device.
struct SampledRequest {
    /// Devices to look at before giving up.
    private static let candidates = 50
    /// Requests of one moment that are answered: each answer may set off another.
    private static let answerLimit = 100

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
            var requests = effects.requests
            var answered = 0
            while answered < min(requests.count, SampledRequest.answerLimit) {
                let request = requests[answered]
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
                answered += 1
                // Events may have waited for the answer, and leave at once.
                requests += effects.requests
            }
            guard next != .distantFuture else { return nil }
            now = max(next, now)
        }
        return nil
    }
}

// MARK: What is printed

extension SampledRequest {
    /// What is printed: each part without secrets, and only then put into quotes for the shell.
    func text(_ plan: PopulationPlan, redactor: Redactor = Redactor(secrets: [])) -> String {
        let target = shownTarget(redactor)
        let path = redactor.redact(target)
        let origin = "\(plan.target.host):\(plan.target.port)"
        let headers = head.headerLines.split(separator: "\r\n").map { redactor.redact(header: String($0)) }
        let decoded = decoded(plan)
        let shown = shownBody(decoded, redactor)
        let events = redactor.redact(decoded.text)
        let isShown = !PackedSecrets(redactor: redactor).areIn(Array(events.utf8))
        var text =
            "# \(redactor.redactSecrets(plan.name)): device \(device), \(eventCount.of("event")), \(body.count) bytes\n\n"
        text += "## raw\n\n\(head.method.rawValue) \(path) HTTP/1.1\nHost: \(redactor.redact(origin))\n"
        for header in headers { text += header + "\n" }
        if head.method.hasBody {
            text +=
                "Content-Length: \(body.count)\n\n\(shown.isBase64 ? "(in base64)\n" : "")\(shown.text)\n\n"
        } else {
            text += "\n"
        }
        text += "## decoded\n\n\(isShown ? events : Redactor.mask + "\n")\n## curl\n\n"
        if shown.isBase64, head.method.hasBody { text += "printf %s '\(shown.text)' | base64 -d |\n  " }
        let url = redactor.redact("\(plan.target.scheme)://\(origin)\(target)")
        // The mask's brackets would be a range of URLs to curl.
        let glob = url.contains(Redactor.mask) ? " --globoff" : ""
        // What `insecure` says to the devices.
        let trust = plan.target.isSecure && plan.target.tls.isInsecure ? " -k" : ""
        text += "curl -sS\(trust)\(glob) -X \(head.method.rawValue) \(Escaping.quotedForShell(url))"
        for header in headers { text += " \\\n  -H \(Escaping.quotedForShell(header))" }
        guard head.method.hasBody else { return text + "\n\n" }
        return text
            + " \\\n  --data-binary \(shown.isBase64 ? "@-" : Escaping.quotedForShell(shown.text))\n\n"
    }

    /// Whether the body has a secret that cannot be masked in it.
    func hidesBody(_ plan: PopulationPlan, _ redactor: Redactor) -> Bool {
        head.method.hasBody && shownBody(decoded(plan), redactor).text == Redactor.mask
    }

    /// The request's target, before secrets are masked in it. A query that packs one is not shown at all.
    private func shownTarget(_ redactor: Redactor) -> String {
        guard let mark = head.path.firstIndex(of: "?"),
            PackedSecrets(redactor: redactor).areIn(Array(redactor.redact(head.path).utf8))
        else { return head.path }
        return "\(head.path[...mark])\(Redactor.mask)"
    }

    /// The body as it is shown. One that packs secrets, or may for all that can be read of it, is not shown at all.
    private func shownBody(_ decoded: Decoded, _ redactor: Redactor) -> (text: String, isBase64: Bool) {
        let packed = PackedSecrets(redactor: redactor)
        let isSecret = redactor.redactSecrets(decoded.text) != decoded.text
        guard isText else {
            let isRead = decoded.isWhole || GzipDecoder.isGzip(body.bytes) || !redactor.hasSecrets
            return isSecret || !isRead || packed.areIn(body.bytes) ? (Redactor.mask, false) : (base64, true)
        }
        let masked = redactor.redact(body.text)
        let isMasked = redactor.redactSecrets(body.text) != body.text
        let hides = isSecret && !isMasked || packed.areIn(Array(masked.utf8))
        return (hides ? Redactor.mask : masked, false)
    }

    /// Whether a terminal shows the body as it is, and a shell takes it in quotes.
    private var isText: Bool {
        let isPrintable = body.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A].contains($0) }
        return isPrintable && String(validating: body.bytes, as: UTF8.self) != nil
    }

    private var base64: String {
        var text = WireBuffer()
        body.withUnsafeBytes { Base64.encode($0, into: &text) }
        return text.text
    }

    /// What a collector reads in the body.
    private struct Decoded {
        var text = ""
        /// Whether nothing was unreadable.
        var isWhole = true

        static func += (left: inout Decoded, right: Decoded) {
            left.text += right.text
            left.isWhole = left.isWhole && right.isWhole
        }
    }

    /// Each event on a line of its own; of a form, its other fields too.
    private func decoded(_ plan: PopulationPlan) -> Decoded {
        guard let system = CollectorSystem(rawValue: plan.system.systemName) else {
            return Decoded(isWhole: false)
        }
        var collector = CollectorPlan().reading(plan)
        collector.growingCiphers = GrowingCiphers(of: plan)
        guard !system.eventFields.isEmpty else { return events(of: system, collector, indent: "") }
        var decoded = Decoded()
        body.withUnsafeBytes { bytes in
            var fields = FormDecoder(bytes)
            while let field = try? fields.next() {
                var value = WireBuffer()
                guard (try? field.appendValue(to: &value)) != nil else { continue }
                let name = String(decoding: field.rawName, as: UTF8.self)
                guard system.eventFields.contains(name) else {
                    decoded.text += "\(name) = \(value.text)\n"
                    continue
                }
                decoded.text += "\(name) =\n"
                decoded += events(of: system, collector, indent: "  ")
            }
        }
        return decoded
    }

    private func events(
        of system: CollectorSystem, _ plan: CollectorPlan, indent: String
    ) -> Decoded {
        let parts = head.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let upload = body.withUnsafeBytes { bytes in
            ReadUpload(
                CollectedRequest(
                    method: head.method == .get ? .get : .post, path: String(parts[0]),
                    query: parts.count > 1 ? String(parts[1]) : "",
                    headers: CollectedHeaders(lines: head.headerLines), body: bytes), of: system,
                plan: plan)
        }
        let lines = upload.events + upload.undecodable.map { "(unreadable: \($0.rawValue))" }
        return Decoded(
            text: lines.map { indent + $0 + "\n" }.joined(), isWhole: upload.undecodable.isEmpty)
    }
}
