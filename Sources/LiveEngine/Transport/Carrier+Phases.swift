import Timebase

/// The parts of a request's time, by its moments.
extension Carrier.Times {
    /// When it left, or when setting up for it began; `nil` before either.
    var begun: UInt64? {
        if writeBegan != 0 { return writeBegan }
        let setUp = lookupBegan == 0 ? connectBegan : lookupBegan
        return setUp == 0 ? nil : setUp
    }

    var lookingUp: Interval? { phase(lookupBegan, lookedUp) }
    var connecting: Interval? { phase(connectBegan, connected) }
    var handshaking: Interval? { phase(connected, secured) }

    /// First to last byte of the request.
    var sending: Interval { span(writeBegan, written) }
    /// Last byte of the request to first byte of the answer.
    var waiting: Interval { span(written, firstByte) }
    /// First to last byte of the answer. A server may begin to answer before it has the whole request, as with
    /// `100 Continue`: what was sent meanwhile is ``sending``, and no time counts twice.
    var receiving: Interval { span(max(firstByte, written), lastByte) }

    /// A phase of setting up; `nil` for one that did not happen.
    private func phase(_ from: UInt64, _ to: UInt64) -> Interval? {
        from == 0 || to == 0 ? nil : span(from, to)
    }

    private func span(_ from: UInt64, _ to: UInt64) -> Interval {
        from == 0 || to < from ? .zero : Interval(nanoseconds: Int64(to - from))
    }
}
