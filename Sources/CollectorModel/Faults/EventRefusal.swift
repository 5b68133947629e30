import Accounting
import SDKDescription
import Timebase
import Wire

/// Invalid events: each upload that has one of them is refused as a whole.
///
/// Which events they are is drawn from the plan's seed and their keys: an event that is refused once is refused each time.
package struct EventRefusal: Hashable, Sendable {
    /// The answer's, 400 to 599.
    package var status: UInt16 = 400
    /// Share of the events that are invalid, 0 to 1.
    package var share = 0.0
    /// Whether the answer's body lists them, for clients that look for that.
    package var isListed = true

    package init() {}

    /// Whether one of an upload's events is one of them.
    func concerns(any keys: some Sequence<EventKey?>, _ stream: RandomStream) -> Bool {
        keys.contains { key in key.map { concerns($0, stream) } ?? false }
    }

    /// Whether an event is one of them.
    func concerns(_ key: EventKey, _ stream: RandomStream) -> Bool {
        var draw =
            switch key {
            case .harness(let id): stream.child(UInt64(id.device)).child(UInt64(id.sequence))
            case .natural(let key): stream.child(key.high).child(key.low)
            }
        return draw.chance(share) || share >= 1
    }
}

extension CollectorModel {
    /// The answer to an upload some of whose events are invalid: nothing of it is stored. `nil` if none is.
    ///
    /// - Parameters:
    ///   - keys: Of the upload's elements in order; `nil` for what cannot be read.
    ///   - listing: Where the client looks for the list of what was refused.
    func reply(
        to refusal: EventRefusal?, of keys: some Sequence<EventKey?>, listing: (UInt16) -> JSONPath?
    ) -> CollectorReply? {
        guard let refusal else { return nil }
        let indices = keys.enumerated().compactMap { index, key in
            key.map { refusal.concerns($0, refusals) } ?? false ? index : nil
        }
        guard !indices.isEmpty else { return nil }
        var reply = CollectorReply(status: refusal.status, disposition: .notStored)
        guard refusal.isListed, let listing = listing(refusal.status) else { return reply }
        reply.body = Array(listing.refusing(indices, status: refusal.status).compactText.utf8)
        reply.contentType = "application/json"
        return reply
    }
}

extension JSONPath {
    /// The body of an answer that lists what it refuses at this path, with the members that clients look for beside it.
    fileprivate func refusing(_ indices: [Int], status: UInt16) -> JSONNode {
        let list = listing(indices)
        guard case .object(let members) = list.content else { return list }
        let around: [(String, JSONNode)] = [("code", .int(status)), ("error", .text("invalid events"))]
        return .object(around.filter { list[$0.0] == nil } + members.map { ($0.key, $0.value) })
    }
}

extension UploadDecoder {
    /// The keys of the request that was opened last, in order; `nil` for what is no event.
    var keys: ContiguousArray<EventKey?> {
        var keys = ContiguousArray<EventKey?>()
        forEachElement { element in
            if case .event(let event) = element { keys.append(event.key) } else { keys.append(nil) }
        }
        return keys
    }
}
