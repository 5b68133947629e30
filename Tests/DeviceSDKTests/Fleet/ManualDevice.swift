import Wire

@testable import DeviceSDK

/// A driven device of which each request is kept with the bytes that it would send at once.
final class ManualDevice<System: TrackingSystem>: DeviceDriver<System> {
    /// An upload as it left the device.
    struct Upload {
        var request: OutgoingRequest
        var head: RequestHead
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private(set) var uploads: [Upload] = []
    private(set) var fetches: [Upload] = []

    override func began(_ request: OutgoingRequest) {
        let upload = encode(request)
        if request.number.kind == .config { fetches.append(upload) } else { uploads.append(upload) }
    }

    /// The head and the body of an open request, as they would leave now.
    func encode(_ request: OutgoingRequest) -> Upload {
        let (head, body) = encoded(request)
        return Upload(request: request, head: head, body: body.bytes)
    }
}
