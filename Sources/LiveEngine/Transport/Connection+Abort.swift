import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// Writes a part of a request, which may be empty, and resets the connection; the owner is not told.
    func abort(sending part: ByteBuffer) {
        guard state != .gone, let context else { return }
        sentBytes = part.readableBytes
        bytesBehind = 0
        if carriedBefore { times = Times() }
        times.writeBegan = uptime
        times.written = times.writeBegan
        // What a lingering close would keep back would make it an orderly end.
        if let options = context.channel as? any SocketOptionProvider {
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        }
        if part.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(part), promise: nil) }
        close()
    }
}
