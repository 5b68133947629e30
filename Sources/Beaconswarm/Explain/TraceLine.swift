import Accounting
import CollectorModel
import DeviceSDK
import Timebase
import Wire
import World

/// A step of a trace as a line of JSON; times in nanoseconds since the epoch, on the run's clock.
enum TraceLine {
    static func text(_ step: TraceStep, of device: UInt32) -> String {
        let head: [(String, JSONNode)] = [("device", .int(device)), ("at_ns", .int(step.at.nanoseconds))]
        return JSONNode.object(head + members(of: step.what)).compactText
    }

    private static func members(of what: TraceStep.What) -> [(String, JSONNode)] {
        switch what {
        case .captured(let range, let stored):
            [
                ("step", .text("captured")), ("first", .int(range.lowerBound)), ("count", .int(range.count)),
                ("stored", .int(stored)),
            ]
        case .asked(let request):
            [
                ("step", .text("asked")), ("request", .text(name(request.number.kind))),
                ("number", .int(request.number.number)),
                ("planned_ns", .int(request.plannedAt.nanoseconds)),
                ("network", .text(request.network.name)),
                ("events", .int(request.eventCount)),
                ("carried", request.carried.map { .list($0.map { .int($0) }) } ?? .null),
            ]
        case .stored(let upload): [("step", .text("stored")), ("number", .int(upload))]
        case .notKept(let upload, let isDryRun):
            [
                ("step", .text("not_kept")), ("number", .int(upload)),
                ("reason", .text((isDryRun ? NotKept.dryRun : .swallowed).rawValue)),
            ]
        case .ended(let number, let end):
            [
                ("step", .text("ended")), ("request", .text(name(number.kind))),
                ("number", .int(number.number)),
            ] + members(of: end)
        case .updated(let number): [("step", .text("updated")), ("rollout", .int(number))]
        case .latched(let isLatched): [("step", .text(isLatched ? "latched" : "unlatched"))]
        case .died: [("step", .text("died"))]
        case .network(let kind):
            [("step", .text("network")), ("network", kind.map { .text($0.name) } ?? .null)]
        case .sealed(let event): members(of: event)
        case .finished: [("step", .text("finished"))]
        }
    }

    private static func members(of event: SealedEvent) -> [(String, JSONNode)] {
        [
            ("step", .text("sealed")), ("sequence", .int(event.id.sequence)),
            ("label", .int(event.label)),
            ("attempts", .int(event.attempts)), ("disposition", .int(event.disposition.code)),
            ("captured_ns", .int(event.capturedAt.nanoseconds)),
            ("acked_ns", event.ackedAt == .distantFuture ? .null : .int(event.ackedAt.nanoseconds)),
        ] + (event.naturalKey.map { [("natural_key", .text($0.text))] } ?? [])
    }

    private static func members(of end: TracedEnd) -> [(String, JSONNode)] {
        switch end {
        case .answered(let status, let isAcknowledged):
            [("status", .int(status)), ("acknowledged", .bool(isAcknowledged))]
        case .failed(let failure): [("failure", .text(failure.name))]
        case .givenBack: [("given_back", .bool(true))]
        }
    }

    private static func name(_ kind: RequestNumber.Kind) -> String { kind == .upload ? "upload" : "config" }

    /// Reads a line; `nil` for anything else.
    static func read(_ line: [UInt8]) -> (device: UInt32, step: TraceStep)? {
        guard let node = try? JSONReader.readStrictly(line), let device: UInt32 = node.number("device"),
            let at = moment(of: node), let what = what(of: node, device)
        else { return nil }
        return (device, TraceStep(at: at, what))
    }

    /// When it was; what the end of the run does is at the end of all times.
    private static func moment(of node: JSONNode) -> Instant? {
        node["at_ns"] == .int(Instant.distantFuture.nanoseconds) ? .distantFuture : node.instant("at_ns")
    }

    private static func what(of node: JSONNode, _ device: UInt32) -> TraceStep.What? {
        switch node["step"]?.string {
        case "captured":
            guard let first: UInt32 = node.number("first"), let count: UInt32 = node.number("count"),
                let stored: UInt32 = node.number("stored"), UInt32.max - count >= first
            else { return nil }
            return .captured(first..<first + count, stored: Int(stored))
        case "asked": return asked(node).map(TraceStep.What.asked)
        case "stored":
            guard let number: UInt32 = node.number("number") else { return nil }
            return .stored(upload: number)
        case "not_kept":
            guard let number: UInt32 = node.number("number"),
                let reason = node["reason"]?.string.flatMap(NotKept.init)
            else { return nil }
            return .notKept(upload: number, isDryRun: reason == .dryRun)
        case "ended":
            guard let number = number(of: node), let end = end(of: node) else { return nil }
            return .ended(number, end)
        case "updated":
            guard let number: UInt32 = node.number("rollout") else { return nil }
            return .updated(Int(number))
        case "latched": return .latched(true)
        case "unlatched": return .latched(false)
        case "died": return .died
        case "network":
            return .network(node["network"]?.string.flatMap(NetworkKind.init))
        case "sealed": return sealed(node, device).map(TraceStep.What.sealed)
        case "finished": return .finished
        default: return nil
        }
    }

    private static func number(of node: JSONNode) -> RequestNumber? {
        guard let number: UInt32 = node.number("number"), let name = node["request"]?.string else {
            return nil
        }
        return RequestNumber(kind: name == "upload" ? .upload : .config, number: number)
    }

    private static func asked(_ node: JSONNode) -> TracedRequest? {
        guard let number = number(of: node), let planned = node.instant("planned_ns"),
            let network = node["network"]?.string.flatMap(NetworkKind.init),
            let count: UInt32 = node.number("events")
        else { return nil }
        return TracedRequest(
            number: number, plannedAt: planned, network: network, eventCount: Int(count),
            carried: node["carried"]?.elements?.compactMap { $0.digits.flatMap { UInt32($0) } })
    }

    private static func end(of node: JSONNode) -> TracedEnd? {
        if let status: UInt16 = node.number("status") {
            return .answered(status: status, isAcknowledged: node["acknowledged"] == .bool(true))
        }
        if node["given_back"] != nil { return .givenBack }
        let name = node["failure"]?.string
        return RequestFailure.allCases.first { $0.name == name }.map(TracedEnd.failed)
    }

    private static func sealed(_ node: JSONNode, _ device: UInt32) -> SealedEvent? {
        guard let sequence: UInt32 = node.number("sequence"), let label: UInt16 = node.number("label"),
            let attempts: UInt16 = node.number("attempts"),
            let code: UInt32 = node.number("disposition"), let disposition = Disposition(code: code),
            let captured = node.instant("captured_ns")
        else { return nil }
        let acked = node.instant("acked_ns")
        guard acked != nil || node["acked_ns"] == .null else { return nil }
        return SealedEvent(
            id: EventID(device: device, sequence: sequence), label: label, attempts: attempts,
            disposition: disposition, capturedAt: captured, ackedAt: acked ?? .distantFuture,
            naturalKey: node["natural_key"]?.string.flatMap { NaturalKey(text: $0.utf8) })
    }
}

extension JSONNode {
    /// The whole number under a key; `nil` for anything else, and for one that does not fit.
    func number<Number: FixedWidthInteger>(_ key: String) -> Number? {
        self[key]?.digits.flatMap { Number($0) }
    }

    /// The instant under a key, in nanoseconds since 1970; `nil` for anything else, and for one that no run tells.
    func instant(_ key: String) -> Instant? {
        let nanoseconds: Int64? = number(key)
        return nanoseconds.flatMap { Instant(credibleNanoseconds: $0) }
    }
}
