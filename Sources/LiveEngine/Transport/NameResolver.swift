import NIOCore
import Timebase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A host's name with the port that its addresses are wanted for.
package struct HostName: Hashable, Sendable {
    package var name: String
    package var port: Int

    package init(name: String, port: Int) {
        self.name = name
        self.port = port
    }

    /// A name as the system is asked for it. Its files know `localhost` without the dot of the root, and no
    /// name server is to be asked for that.
    package static func asked(_ name: String) -> String {
        name.lowercased() == "localhost." ? "localhost" : name
    }
}

/// Turns host names into addresses for the connections of one event loop.
///
/// Confined to its loop; the transport is asked once at a time for each name. A
/// name with several addresses gives them in turn, those of the family that the system puts first
/// before the others, so that each connection has all of them to fall back on.
final class NameResolver {
    private struct Entry {
        var addresses: [SocketAddress]
        /// Monotonic clock.
        var learnedAt: UInt64
        var turn = 0
    }

    private let loop: any EventLoop
    private let transport: any ClientTransport
    private var entries: [HostName: Entry] = [:]
    private var waiting: [HostName: [([SocketAddress]?) -> Void]] = [:]

    init(on loop: any EventLoop, transport: any ClientTransport) {
        self.loop = loop
        self.transport = transport
    }

    /// The addresses to try, best first, if they were learnt less than `lifetime` ago.
    func known(_ name: HostName, lifetime: Interval) -> [SocketAddress]? {
        guard let entry = entries[name] else { return nil }
        let age = loop.now.uptimeNanoseconds &- entry.learnedAt
        guard age < UInt64(clamping: lifetime.nanoseconds) else { return nil }
        return takeTurn(name)
    }

    /// Asks for a name's addresses, or joins whoever asks already.
    ///
    /// - Parameter then: Gets the addresses to try, best first, or `nil` if there are none; called later,
    ///   on the loop.
    func lookUp(_ name: HostName, then: @escaping ([SocketAddress]?) -> Void) {
        waiting[name, default: []].append(then)
        guard waiting[name]?.count == 1 else { return }
        transport.lookUp(name, on: loop)
            .assumeIsolated()
            .whenComplete { result in
                let addresses = (try? result.get()) ?? []
                self.entries[name] =
                    addresses.isEmpty
                    ? nil : Entry(addresses: addresses, learnedAt: self.loop.now.uptimeNanoseconds)
                for done in self.waiting.removeValue(forKey: name) ?? [] { done(self.takeTurn(name)) }
            }
    }

    private func takeTurn(_ name: HostName) -> [SocketAddress]? {
        guard let entry = entries[name], let family = entry.addresses.first?.protocol else { return nil }
        entries[name]?.turn += 1
        let preferred = entry.addresses.filter { $0.protocol == family }
        let first = entry.turn % preferred.count
        return Array(preferred[first...] + preferred[..<first])
            + entry.addresses.filter { $0.protocol != family }
    }

    /// The system's own way (`getaddrinfo`): its files and servers, in the order of RFC 6724.
    static let systemLookup: SocketTransport.Lookup = { host in
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(HostName.asked(host.name), String(host.port), &hints, &list) == 0 else {
            throw LiveEngineError.unresolvedHost(host.name)
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            if let address = NameResolver.address(info, host: host.name), !addresses.contains(address) {
                addresses.append(address)
            }
            next = info.ai_next
        }
        return addresses
    }

    private static func address(_ info: addrinfo, host: String) -> SocketAddress? {
        guard let raw = UnsafeRawPointer(info.ai_addr) else { return nil }
        switch info.ai_family {
        case AF_INET: return SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host)
        case AF_INET6: return SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host)
        default: return nil
        }
    }
}
