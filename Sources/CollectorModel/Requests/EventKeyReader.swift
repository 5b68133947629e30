package import Accounting
import Wire

/// Reads the key of one event's JSON, for stores that keep nothing else of it: the members tell the system.
///
/// Systems are asked in the order of their list; where the plan has descriptions, what is described comes first. Not thread-safe: the readers' memory is used for one text after
/// the other.
package final class EventKeyReader {
    private let parser = JSONParser(byteLimit: JSONBatch.textLimit)
    private var readers: [any CollectedKeyReader]

    /// - Parameter plan: What the collector knew beside what is its own.
    package init(plan: CollectorPlan = CollectorPlan()) {
        let collected = CollectedSystems(plan)
        let systems = CollectorSystem.allCases
        let order = plan.descriptions.isEmpty ? systems : [.declared] + systems.filter { $0 != .declared }
        readers = order.map { collected[$0].makeKeyReader() }
    }

    /// The key that a collector gives to the event; `nil` if the text is no event that it would take.
    package func key(of text: UnsafeRawBufferPointer) -> EventKey? {
        guard let value = try? parser.parse(text) else { return first { $0.key(ofText: text) } }
        guard value.kind == .object else { return nil }
        return first { $0.key(of: value) }
    }

    /// When the event was captured, by the device's clock, in milliseconds since 1970; `nil` if the text does not
    /// say it: items do not.
    ///
    /// What is no whole event may say it all the same, as a store does that keeps some members only.
    package func capturedAt(of text: UnsafeRawBufferPointer) -> Int64? {
        guard let value = try? parser.parse(text), value.kind == .object else { return nil }
        return first { $0.capturedAt(of: value) } ?? first { $0.capturedAt(ofPart: value) }
    }

    /// The first answer that a system gives.
    private func first<Answer>(_ ask: (inout any CollectedKeyReader) -> Answer?) -> Answer? {
        for index in readers.indices {
            if let answer = ask(&readers[index]) { return answer }
        }
        return nil
    }
}
