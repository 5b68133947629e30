import CollectorModel
import Timebase
import Wire

/// Faults that put another answer in the place of the collector's own, or change the way in which it leaves.
extension CollectorFaultFormat {
    private struct StatusKeys {
        var status: UInt16
        var retryAfter: Interval?
        var stored = false
    }

    static let status = Fault(
        "status", "another status, nothing stored unless \"stored\" says so",
        start: StatusKeys(status: 503),
        [
            Field(
                "status", \.status, .status, required: true, "The answer's. A 2xx loses events silently."),
            Field("retryAfter", \.retryAfter, retryAfter, retryAfterDoc),
            Field(
                "stored", \.stored, .boolean,
                "Whether uploads are stored first, as by a server that fails behind its commit, or answers "
                    + "201 or 204."),
        ]
    ) { keys in
        FaultDraft(
            fault: .status(keys.status, retryAfter: keys.retryAfter, stored: keys.stored),
            text: "status \(keys.status)" + (keys.stored ? " for what is stored" : "")
                + text(retryAfter: keys.retryAfter))
    }

    static let slowBody = Fault(
        "slowBody", "stored, the answer's body drips", start: SlowBodyFault(bytesPerSecond: 1, bytes: 1),
        [
            Field(
                "bytesPerSecond", \.bytesPerSecond, .integer(1...1_000_000_000), required: true,
                "The pace of the answer's body; its head comes at once."),
            Field(
                "bytes", \.bytes, bytes, required: true,
                "A shorter body is filled up with spaces to this length."),
        ]
    ) { rules in
        FaultDraft(
            fault: .slowBody(rules), text: "bodies of \(rules.bytes) bytes at \(rules.bytesPerSecond) bytes/s"
        )
    }

    static let truncate = Fault(
        "truncate", "stored, the answer ends early", start: 1000,
        [
            Field(
                "bytes", \.self, bytes,
                "A shorter body is filled up with spaces to this length; the answer ends after half of its body."
            )
        ]
    ) { FaultDraft(fault: .truncate(bytes: $0), text: "answers cut off") }

    private struct PageKeys {
        var status: UInt16 = 200
        var body: String?
    }

    static let wrongContent = Fault(
        "wrongContent", "somebody else's page, nothing stored", start: PageKeys(),
        [
            Field("status", \.status, .status, "The answer's."),
            Field(
                "body", \.body, .text(limit: 100_000), "The page; by default one that asks to sign in."),
        ]
    ) { keys in
        FaultDraft(
            fault: .wrongContent(
                status: keys.status, page: keys.body.map { Array($0.utf8) } ?? CollectorFault.portalPage),
            text: "status \(keys.status) with a page of somebody else")
    }

    static let invalidEvents = Fault(
        "invalidEvents", "uploads with an invalid event are refused, nothing stored", start: EventRefusal(),
        [
            Field(
                "events", \.share, .share, required: true,
                "Share of the events that are invalid; the same ones each time they come."),
            Field(
                "status", \.status, refusingStatus,
                "The answer to each upload that has one of them."),
            Field(
                "listed", \.isListed, .boolean,
                "Whether the answer lists them, for clients that look for a list (the verdict dropListed of described "
                    + "SDKs)."),
        ]
    ) { refusal in
        let percent = JSONNode.digits(of: (refusal.share * 10_000).rounded() / 100)
        return FaultDraft(
            fault: .invalidEvents(refusal),
            text: "status \(refusal.status) for uploads with any of \(percent) % of the events"
                + (refusal.isListed ? "" : ", without a list"))
    }

    private static let refusingStatus = Form<Int>.integer(400...599).map(
        { status, _, _ in UInt16(status) }, encode: { .int(Int($0)) })

    private static let bytes = Form<Int>.integer(1...10_000_000)
    static let retryAfter = Form<Interval>.duration(.seconds(1)...(.hours(24 * 30)))
    static let retryAfterDoc = "A Retry-After header with it, in whole seconds."

    static func text(retryAfter: Interval?) -> String {
        retryAfter.map { ", Retry-After \($0.text)" } ?? ""
    }
}

extension Form where Value == UInt16 {
    /// A status of HTTP that ends a request.
    static let status = Form<Int>.integer(200...599).map(
        { status, _, _ in UInt16(status) }, encode: { .int(Int($0)) })
}
