/// What names an event in a collector's store.
package enum EventKey: Hashable, Sendable {
    /// The harness's own id, read from the event.
    case harness(EventID)
    /// The 128-bit hash of the event's natural key.
    case natural(NaturalKey)

    /// The text of the store's column `id`: `<device>-<sequence>`, or 32 hexadecimal digits.
    package var text: String {
        switch self {
        case .harness(let id): id.text
        case .natural(let key): key.text
        }
    }

    /// The device, where the key names one.
    package var device: UInt32? {
        if case .harness(let id) = self { id.device } else { nil }
    }
}
