/// The hosts that their user says are theirs to load: what `--i-own` names, and the lines of a list.
///
/// The list is `beaconswarm.targets` in the working directory, or the file that `--targets` names. It is never looked
/// for beside the scenario: a scenario from elsewhere shall not bring its own permission along.
struct OwnedHosts: Sendable {
    /// The list that is read where no other is named.
    static let fileName = "beaconswarm.targets"

    private(set) var hosts: Set<TargetHost> = []

    /// - Parameters:
    ///   - named: What `--i-own` was given.
    ///   - file: What `--targets` was given; `nil` for the list in the working directory, if there is one.
    /// - Throws: ``CommandFailure`` with code 64 for what is no host, and for a list that cannot be read.
    init(named: [String], file: String?) throws(CommandFailure) {
        for text in named {
            guard let host = OwnedHosts.host(text) else {
                throw CommandFailure(.usage, "--i-own: found \"\(text)\", \(OwnedHosts.allowed)")
            }
            hosts.insert(host)
        }
        if let file {
            try read(file)
        } else if OutputFile.exists(OwnedHosts.fileName) {
            try read(OwnedHosts.fileName)
        }
    }

    private mutating func read(_ path: String) throws(CommandFailure) {
        let bytes = try OutputFile.read(
            path, failing: .usage, limit: OwnedHosts.sizeLimit, mayBePipe: true)
        hosts.formUnion(try OwnedHosts.hosts(in: bytes, of: path))
    }

    /// Some ten thousand names.
    private static let sizeLimit = 1 << 20

    /// Reads a list: one host a line; `#` begins a comment.
    ///
    /// - Parameter path: What messages call the list.
    /// - Throws: ``CommandFailure`` with code 64 that names the first line that is no host.
    static func hosts(in bytes: [UInt8], of path: String) throws(CommandFailure) -> Set<TargetHost> {
        var result: Set<TargetHost> = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let isBlank = { (byte: UInt8) in byte <= 0x20 }
            var text = line.prefix { $0 != UInt8(ascii: "#") }.drop(while: isBlank)
            while let last = text.last, isBlank(last) { text.removeLast() }
            guard !text.isEmpty else { continue }
            let found = String(decoding: text, as: UTF8.self)
            guard let host = host(found) else {
                throw CommandFailure(
                    .usage, "\(path):\(index + 1): found \"\(found.prefix(200))\", \(allowed)")
            }
            result.insert(host)
        }
        return result
    }

    private static let allowed =
        "allowed is a host's name or address alone, without scheme, port and path, such as collector.example"

    /// - Returns: `nil` for what is neither a name nor an address.
    private static func host(_ text: String) -> TargetHost? {
        let host = TargetHost(text)
        guard case .name(let name) = host else { return host }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
                || byte == 0x5F
        }
        return isName && !name.isEmpty ? host : nil
    }
}

extension RunOptions {
    /// The list of hosts that is read where no other is named, in the working directory.
    public static let targetsFileName = OwnedHosts.fileName
}
