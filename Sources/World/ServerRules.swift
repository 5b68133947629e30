package import Timebase

/// How the modelled server behaves where no fault on the timeline says otherwise.
package struct ServerRules: Hashable, Sendable {
    /// From the last byte of a request to the last byte of the answer.
    package var serviceTime: Interval

    /// One millisecond: a collector on the same machine that does its work (an assumption; a
    /// scenario's latency faults add to it).
    package init(serviceTime: Interval = .milliseconds(1)) { self.serviceTime = serviceTime }
}
