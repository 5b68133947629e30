import CollectorModel
import Timebase
import Wire

/// Faults of the service behind the collector's address: too little of it, or a part of it away.
extension CollectorFaultFormat {
    static let capacity = Fault(
        "capacity", "a limited rate with a queue", start: CapacityFault(rate: 1, queue: 0),
        [
            Field(
                "rate", \.rate,
                .either(
                    [
                        (.number, .number(0...1e9, above: true)),
                        (.string, Form<Double>.rate(of: "requests")),
                    ], allowed: "requests per second, or a rate such as \"200 requests/s\""),
                required: true,
                "Requests per second that are served, or a rate such as \"90 requests/min\"."),
            Field(
                "queue", \.queue, .integer(0...10_000_000), required: true,
                "Requests that may wait; the next is answered with the status."),
            Field(
                "degrade", \.degrade, .number(0...1000),
                "How much longer a request is served that finds the queue full: 1 for twice as long, less in "
                    + "proportion."),
            Field("status", \.status, .status, "The answer where the queue is full."),
            Field("retryAfter", \.retryAfter, retryAfter, retryAfterDoc),
        ]
    ) { rules in
        FaultDraft(
            fault: .capacity(rules),
            text:
                "capacity of \(JSONNode.number(rules.rate).compactText) requests/s, \(rules.queue) waiting, "
                + "then \(rules.status)" + text(retryAfter: rules.retryAfter))
    }

    static let deploy = Fault(
        "deploy", "instances restart one after another",
        start: DeployFault(instances: 1, down: .zero, warmUp: .zero, latency: .constant(1000)),
        [
            Field(
                "instances", \.instances, .integer(1...1000), required: true,
                "Instances of the collector, which share the requests evenly by chance."),
            Field(
                "down", \.down, .duration(.milliseconds(1)...(.hours(24))), required: true,
                "How long each is away; its requests are reset."),
            Field(
                "warmUp", \.warmUp, .duration(.zero...(.hours(24))),
                "How long each answers late after that."),
            Field(
                "latency", \.latency, DistributionDraft.milliseconds,
                "How long each answer of an instance that warms up waits."),
        ]
    ) { rules in
        let instances = "\(rules.instances) instance\(rules.instances == 1 ? "" : "s")"
        return FaultDraft(
            fault: .deploy(rules), text: "deployment of \(instances), each down for \(rules.down.text)"
        ) { entry, reading in
            check(rules, entry, &reading)
        }
    }

    /// A deployment needs room for each of its instances.
    private static func check(_ rules: DeployFault, _ entry: FaultEntry, _ reading: inout Reading) {
        guard let length = entry.length else {
            // One that is there and is none was reported where it stands.
            guard !entry.saysLength else { return }
            reading.report(
                .missingKey, entry.place, found: "no \"for\" in the entry",
                allowed: "\"for\" for the fault \"deploy\"")
            return
        }
        let part = length / Int64(rules.instances)
        guard rules.down + rules.warmUp > part else { return }
        reading.report(
            .conflict, entry.place, found: "\((rules.down + rules.warmUp).text) for each instance",
            allowed: "\"down\" and \"warmUp\" of at most \(part.text) together: the entry's time, shared by "
                + "\(rules.instances)")
    }
}
