import Accounting
import Wire

/// Reads the uploads of SensorsAnalytics clients: the official iOS SDKs, and others that leave out the
/// checksum or the track id.
///
/// Not thread-safe: the parser's memory and the buffers are used for one request after the other.
final class SensorsDecoder {
    /// The most bytes of JSON that one request may hold.
    static let textLimit = 64 << 20

    private let envelopes = SensorsEnvelopeReader(limit: SensorsDecoder.textLimit)
    private let parser = JSONParser(byteLimit: SensorsDecoder.textLimit)
    private var scratch = WireBuffer()

    /// Opens a request's envelope.
    func open(_ body: UnsafeRawBufferPointer) -> SensorsEnvelope { envelopes.open(body) }

    /// What one element of a batch came to.
    enum Element {
        case event(SensorsEvent, key: EventKey, payload: UnsafeRawBufferPointer)
        case undecodable(UndecodableReason)
    }

    /// Calls `body` with each element of a batch in order; a single object is a batch of one.
    ///
    /// If the text as a whole is no JSON, each element is tried alone, so that one broken event does not
    /// take the others with it.
    func forEachElement(of text: UnsafeRawBufferPointer, _ body: (Element) -> Void) {
        guard let root = try? parser.parse(text) else { return salvage(text, body) }
        var slices = JSONElementScanner(text)
        guard slices.isList else { return body(element(root, payload: slices.next() ?? text)) }
        for value in root.elements {
            guard let payload = slices.next() else { return }
            body(element(value, payload: payload))
        }
    }

    /// The device of the first event with an id of the harness.
    func firstDevice(in text: UnsafeRawBufferPointer) -> UInt32? {
        var device: UInt32?
        forEachElement(of: text) { element in
            if device == nil, case .event(_, .harness(let id), _) = element { device = id.device }
        }
        return device
    }

    private func salvage(_ text: UnsafeRawBufferPointer, _ body: (Element) -> Void) {
        var slices = JSONElementScanner(text)
        var isEmpty = true
        while let payload = slices.next() {
            isEmpty = false
            if let value = try? parser.parse(payload) {
                body(element(value, payload: payload))
            } else {
                body(.undecodable(.json))
            }
        }
        if isEmpty { body(.undecodable(.json)) }
    }

    private func element(_ value: JSONValue, payload: UnsafeRawBufferPointer) -> Element {
        do {
            let event = try SensorsEvent(value)
            return .event(event, key: event.key(of: value, scratch: &scratch), payload: payload)
        } catch {
            return .undecodable(error.reason)
        }
    }
}
