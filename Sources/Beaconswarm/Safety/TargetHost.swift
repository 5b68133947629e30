import Glibc

/// A host as a URL or a user's list names it, in one form for all the ways to write it: `0x7f.1` is 127.0.0.1,
/// `::ffff:10.0.0.7` is 10.0.0.7, and `Collector.Test.` is collector.test.
///
/// Reading one asks nobody: addresses are recognised by the rules by which the system will read them (`inet_aton`,
/// `inet_pton`), and whatever is no address is a name.
enum TargetHost: Hashable, Sendable {
    case ipv4(UInt32)
    case ipv6(high: UInt64, low: UInt64)
    /// In lower case, without the dot of the root at its end.
    case name(String)

    /// - Parameter text: A host as it stands in a URL; an IPv6 address may have its brackets.
    init(_ text: String) {
        if let address = TargetHost.ipv4(text) {
            self = .ipv4(address)
        } else if let address = TargetHost.ipv6(text) {
            self = address
        } else {
            let name = text.hasSuffix(".") ? String(text.dropLast()) : text
            self = .name(name.lowercased())
        }
    }

    /// Dotted decimal, and the older forms that the system takes for addresses too: fewer parts, octal, hexadecimal.
    private static func ipv4(_ text: String) -> UInt32? {
        // What follows white space would be ignored.
        guard !text.utf8.contains(where: { $0 <= 0x20 }) else { return nil }
        var address = in_addr()
        guard inet_aton(text, &address) == 1 else { return nil }
        return UInt32(bigEndian: address.s_addr)
    }

    private static func ipv6(_ text: String) -> TargetHost? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        var address = in6_addr()
        guard inet_pton(AF_INET6, isBracketed ? String(text.dropFirst().dropLast()) : text, &address) == 1
        else { return nil }
        let (high, low) = withUnsafeBytes(of: &address) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        // An IPv4 address in IPv6's clothes (::ffff:a.b.c.d) goes out as IPv4.
        if high == 0, low >> 32 == 0xFFFF { return .ipv4(UInt32(truncatingIfNeeded: low)) }
        return .ipv6(high: high, low: low)
    }

    /// Whether it is no address.
    var isName: Bool {
        if case .name = self { true } else { false }
    }

    /// Whether it is this machine, whatever a name server says: 127.0.0.0/8, ::1, `localhost`.
    var isLoopback: Bool {
        switch self {
        case .ipv4(let address): address >> 24 == 127
        case .ipv6(let high, let low): high == 0 && low == 1
        case .name(let name): name == "localhost"
        }
    }

    /// Whether it is an address that no route of the internet leads to: 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16
    /// (RFC 1918), fc00::/7 (RFC 4193), and the link's own, 169.254.0.0/16 and fe80::/10. A name never is.
    var isPrivate: Bool {
        switch self {
        case .ipv4(let address):
            address >> 24 == 10 || address >> 20 == 0xAC1 || address >> 16 == 0xC0A8
                || address >> 16 == 0xA9FE
        case .ipv6(let high, _): high >> 57 == 0x7E || high >> 54 == 0x3FA
        case .name: false
        }
    }

    /// Whether a load on it needs nobody's word: it cannot reach a stranger.
    var isHarmless: Bool { isLoopback || isPrivate }
}
