import Accounting
package import Timebase

/// Reads the events of one system's uploads, as a collector does that stores each of them.
///
/// Not thread-safe: memory is used for one upload after the other.
package final class UploadReader {
    private let system: CollectorSystem
    private let collected: any CollectedSystem
    private let decoder: any UploadDecoder

    /// - Parameter plan: What the collector knows beside what is its own: encryptions of GrowingIO's.
    package init(of system: CollectorSystem, plan: CollectorPlan = CollectorPlan()) {
        self.system = system
        collected = CollectedSystems(plan)[system]
        decoder = collected.decoder
    }

    /// Calls `body` with each event that can be read, in order; copies are not told apart.
    ///
    /// - Parameter now: When the upload arrived: the time of events that have none.
    package func forEachEvent(
        in request: CollectedRequest, at now: Instant, _ body: (CollectedEvent) -> Void
    ) {
        forEachEvent(of: decoder.open(request), at: now, body)
    }

    /// The same of what lies in an upload's body before it is packed; an engine gets it from its devices.
    ///
    /// - Parameter isMessages: Whether it is messages, where a system has both.
    package func forEachEvent(
        inPlain plain: UnsafeRawBufferPointer, isMessages: Bool, at now: Instant,
        _ body: (CollectedEvent) -> Void
    ) {
        forEachEvent(of: decoder.open(plain: plain, isMessages: isMessages), at: now, body)
    }

    private func forEachEvent(
        of upload: UploadEnvelope, at now: Instant, _ body: (CollectedEvent) -> Void
    ) {
        guard upload.refusal == nil else { return }
        let name = collected.name(of: upload.client)
        decoder.forEachElement { element in
            guard case .event(let event) = element else { return }
            body(
                CollectedEvent(
                    key: event.key, copy: 0, system: system, systemName: name, distinctID: event.distinctID,
                    type: event.type, name: event.name, capturedAt: event.capturedAt ?? now.milliseconds,
                    payload: event.payload, value: event.value))
        }
    }
}
