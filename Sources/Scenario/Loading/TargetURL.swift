import DeviceSDK
import Wire

/// Takes a collector's URL apart.
enum TargetURL {
    /// Why a text is no usable URL: what would be.
    struct Failure: Error {
        var allowed: String

        static func wrong(_ allowed: String) -> Failure { Failure(allowed: allowed) }
    }

    /// Reads `http[s]://host[:port][/path][?query]`; the port is 80 or 443 by default.
    static func parse(_ text: String) throws(Failure) -> PopulationPlan.Target {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .wrong("a URL of visible ASCII characters; others percent-encoded")
        }
        let bytes = Array(text.utf8)
        guard let separator = bytes.firstRange(of: Array("://".utf8)) else {
            throw .wrong("a URL such as \"http://127.0.0.1:8106/sa?project=default\"")
        }
        let scheme = String(decoding: bytes[..<separator.lowerBound], as: UTF8.self).lowercased()
        guard scheme == "http" || scheme == "https" else { throw .wrong("http or https") }
        let rest = bytes[separator.upperBound...]
        let end = rest.firstIndex {
            $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        let authority = Array(rest[..<(end ?? rest.endIndex)])
        var path = String(decoding: rest[(end ?? rest.endIndex)...], as: UTF8.self)
        guard !path.contains("#") else { throw .wrong("a URL without a fragment (#)") }
        guard !authority.contains(UInt8(ascii: "@")) else {
            throw .wrong("a URL without a user and password")
        }
        if path.first != "/" { path = "/" + path }
        let (host, port) = try hostAndPort(authority)
        return PopulationPlan.Target(
            scheme: scheme, host: host, port: port ?? (scheme == "https" ? 443 : 80), pathAndQuery: path)
    }

    private static func hostAndPort(_ authority: [UInt8]) throws(Failure) -> (String, Int?) {
        var host = authority[...]
        var port: ArraySlice<UInt8>?
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
                throw .wrong("a \"]\" after the IPv6 address")
            }
            host = authority[1..<close]
            let rest = authority[(close + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                throw .wrong("\":\" and a port after \"]\"")
            }
            if !rest.isEmpty { port = rest.dropFirst() }
            guard !host.isEmpty,
                host.allSatisfy({ isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
            else { throw .wrong("an IPv6 address in brackets") }
        } else {
            if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
                host = authority[..<colon]
                port = authority[(colon + 1)...]
            }
            guard !host.isEmpty, host.allSatisfy(isNamePart) else { throw .wrong("a host name or address") }
        }
        let text = String(decoding: host, as: UTF8.self)
        guard let port else { return (text, nil) }
        guard port.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: port, as: UTF8.self)),
            (1...65_535).contains(number)
        else { throw .wrong("a port from 1 to 65535") }
        return (text, number)
    }

    /// The values of query parameters whose names say that they are secret.
    static func secrets(in pathAndQuery: String) -> [String] {
        let query = pathAndQuery.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").compactMap { pair -> String? in
            guard let equals = pair.firstIndex(of: "="),
                SecretNames.contain(String(pair[..<equals]), in: .parameter)
            else {
                return nil
            }
            let value = String(pair[equals...].dropFirst())
            return value.isEmpty ? nil : value
        }
    }

    /// Whether a text is a host's name as certificates bear it, and no address.
    static func isName(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { isNamePart($0) && $0 != 0x5F }
        let last = text.split(separator: ".").last ?? ""
        return isPlain && !last.isEmpty && !last.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == 0x2D || byte == 0x2E
            || byte == 0x5F
    }
}

extension Array where Element == UInt8 {
    fileprivate func firstRange(of pattern: [UInt8]) -> Range<Int>? {
        guard count >= pattern.count else { return nil }
        return (0...(count - pattern.count)).first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
            .map { $0..<$0 + pattern.count }
    }
}
