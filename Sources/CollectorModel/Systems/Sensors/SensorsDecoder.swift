import Wire

/// Reads the uploads of SensorsAnalytics clients: the official iOS SDKs, and others that leave out the
/// checksum or the track id.
final class SensorsDecoder: UploadDecoder {
    private let envelopes = SensorsEnvelopeReader(limit: JSONBatch.textLimit)
    private let batch = JSONBatch()
    private var text = WireBuffer()
    /// Whether the text was gzip.
    private var isPacked = false
    private var scratch = WireBuffer()

    func open(_ request: CollectedRequest) -> UploadEnvelope {
        // The envelopes' buffer is to be theirs alone, or it would be copied.
        text = WireBuffer()
        let envelope = envelopes.open(request.body)
        var result = UploadEnvelope(hasWrongChecksum: envelope.hasWrongChecksum)
        switch envelope.content {
        case .json(let buffer, let wasPacked): (text, isPacked) = (buffer, wasPacked)
        case .encrypted(let events): result.refusal = (.encrypted, events)
        case .undecodable(let reason): result.refusal = (reason, 1)
        }
        return result
    }

    func open(plain: UnsafeRawBufferPointer, isMessages: Bool) -> UploadEnvelope {
        guard plain.count <= JSONBatch.textLimit else { return .refused(.tooLarge) }
        text.removeAll()
        text.append(contentsOf: plain)
        isPacked = false
        return .opened
    }

    var textCapacity: Int { text.capacity + envelopes.textCapacity }

    func forEachElement(_ body: (UploadElement) -> Void) {
        text.withUnsafeBytes { text in
            let packed = isPacked ? PackedText(gzip: envelopes.unpacked, text: text) : nil
            batch.forEachElement(of: text) { body(element($0, packed: packed)) }
        }
    }

    private func element(_ element: JSONBatch.Element, packed: PackedText?) -> UploadElement {
        guard case .value(let value, let text) = element else { return .undecodable(.json) }
        do {
            let event = try SensorsEvent(value)
            return .event(
                UploadEvent(
                    key: event.key(of: value, scratch: &scratch), type: event.type, name: event.name,
                    distinctID: event.distinctID, capturedAt: event.time, payload: text, value: value,
                    packed: packed))
        } catch {
            return .undecodable(error.reason)
        }
    }
}
