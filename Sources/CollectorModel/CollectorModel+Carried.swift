package import Accounting
package import Timebase
import Wire

/// Where an upload goes whose events are handed over without its bytes.
package struct CarriedRoute: Sendable {
    package var system: CollectorSystem
    /// As far as the head and its population tell.
    var client: UploadClient
    /// Whether the client asks for a check only.
    package var dryRun: Bool
}

/// Uploads whose events come by reference: routes, faults, copies and answers as from bytes.
extension CollectorModel {
    /// Where a request goes by its head.
    ///
    /// - Parameters:
    ///   - request: Its body is not looked at.
    ///   - population: Whose request it is, by its index in the scenario; `nil` where nobody knows.
    /// - Returns: `nil` if no system takes it as an upload.
    package func route(of request: CollectedRequest, population: Int? = nil) -> CarriedRoute? {
        guard case .upload(let system) = chooseRoute(request) else { return nil }
        var client = collected[system].client(of: request)
        if system == .declared, let population, population < plan.ownDescriptions.count,
            let own = plan.ownDescriptions[population]
        {
            client.number = own
        }
        return CarriedRoute(system: system, client: client, dryRun: request.dryRun)
    }

    /// Takes the events of an upload and asks the director for its fault in between.
    package mutating func receive(
        _ keys: ContiguousArray<EventKey>, by route: CarriedRoute, at now: Instant,
        director: inout FaultDirector
    ) -> (reply: CollectorReply, fault: LateFault) {
        var fault = LateFault.none
        if !director.isIdle {
            let device = director.needsDevice ? keys.lazy.compactMap(\.device).first : nil
            fault = director.afterReading(at: now, device: device) {
                $0.concerns(any: keys.lazy.map { $0 }, refusals)
            }
        }
        return (receive(keys, by: route, fault: fault), fault)
    }

    /// Takes the events of an upload with a fault that is decided already.
    package mutating func receive(
        _ keys: ContiguousArray<EventKey>, by route: CarriedRoute, fault: LateFault
    ) -> CollectorReply {
        counters.requests += 1
        var reply = answer(keys, by: route, fault)
        fault.shape(&reply)
        return reply
    }

    mutating func answer(
        _ keys: ContiguousArray<EventKey>, by route: CarriedRoute, _ fault: LateFault
    ) -> CollectorReply {
        let system = collected[route.system]
        let forced =
            faultyReply(fault, acceptance: system.acceptance(for: route.client))
            ?? reply(to: fault.refusal, of: keys.lazy.map { $0 }) {
                system.listing(status: $0, for: route.client)
            }
        guard var reply = forced else {
            var reply = system.acceptance(for: route.client)
            if route.dryRun {
                for key in keys { noteDryRun(key) }
                reply.disposition = .dryRun
            } else {
                for key in keys { _ = record(key) }
            }
            return reply
        }
        if system.takesForSuccess(reply, route.client), !fault.resetsUnread {
            for key in keys { swallow(key) }
            reply.swallowed = true
        }
        return reply
    }

    /// Whether an upload is refused for how much is in it, by what its body holds before it is packed.
    ///
    /// - Parameter isMessages: Whether it is messages, where the system has both.
    package func refuses(
        plain: UnsafeRawBufferPointer, isMessages: Bool, of system: CollectorSystem
    ) -> Bool {
        let decoder: any UploadDecoder = collected[system].decoder
        return decoder.open(plain: plain, isMessages: isMessages).refusal?.reason == .tooLarge
    }

    /// What names the events of an upload's bytes, in order; `nil` if anything in it cannot be read.
    package func keys(in request: CollectedRequest, of system: CollectorSystem) -> ContiguousArray<EventKey>?
    {
        keys(in: request, collected[system].decoder)
    }

    private func keys(
        in request: CollectedRequest, _ decoder: some UploadDecoder
    ) -> ContiguousArray<EventKey>? {
        let envelope = decoder.open(request)
        guard envelope.refusal == nil, !envelope.hasWrongChecksum else { return nil }
        var keys = ContiguousArray<EventKey>()
        var isWhole = true
        decoder.forEachElement { element in
            if case .event(let event) = element { keys.append(event.key) } else { isWhole = false }
        }
        return isWhole ? keys : nil
    }
}
