package import Accounting
package import CollectorModel
package import DeviceSDK
package import Timebase

/// Who hears of every upload whose events the modelled server stores, at the instant at which they arrive.
///
/// With an observer, the server knows events by the harness's ids whether they bear them or not, unless a fault draws by
/// what it reads, and only what is stored is written. Calls come in the order of time, on the run's own thread.
package protocol ArrivalObserver: AnyObject {
    /// An upload arrived and is stored.
    func stored(_ upload: StoredUpload)
    /// An upload arrived that is acknowledged and not kept. By default nobody wants to know.
    func passed(_ upload: PassedUpload)
    /// An event ended; see ``VirtualConfiguration/keepsBodies``. By default nobody wants to know.
    func ended(_ event: EndedEvent)
}

extension ArrivalObserver {
    package func passed(_ upload: PassedUpload) {}
    package func ended(_ event: EndedEvent) {}
}

/// An event with its fate, and the body that an upload with it alone would have. The bytes are only borrowed.
package struct EndedEvent {
    /// The population's index in the scenario.
    package var population: Int
    package var id: EventID
    package var form: PlainBody
    package var body: UnsafeRawBufferPointer
    /// When it ended, on the run's clock.
    package var at: Instant
}

/// What an upload brought.
package enum StoredContent {
    /// The request as it was sent.
    case request(CollectedRequest)
    /// What its body holds before it is packed, which is the same to a collector: no bytes are packed only to be unpacked.
    case plain(PlainBody, UnsafeRawBufferPointer)
}

/// An upload whose events are stored. The content is only borrowed.
package struct StoredUpload {
    /// The population's index in the scenario.
    package var population: Int
    /// The device's number in the run.
    package var device: UInt32
    /// Counts the device's uploads.
    package var request: UInt32
    /// When it arrived, on the run's clock.
    package var at: Instant
    /// What was sent; its memory is valid during the call that hands it over.
    package var content: StoredContent
    /// What it carries, in the body's order; empty where something beside the SDK may have changed that.
    package var events: CarriedEvents
}

/// An upload whose events are acknowledged and not kept.
package struct PassedUpload {
    /// The device's number in the run.
    package var device: UInt32
    /// Counts the device's uploads.
    package var request: UInt32
    /// When it arrived, on the run's clock.
    package var at: Instant
    package var reason: NotKept
}
