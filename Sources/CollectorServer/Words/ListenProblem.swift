import Files
import Foundation
import NIOCore

/// Why an address cannot be listened on, for people: what is in the way, and who can help.
package enum ListenProblem {
    package static func text(_ error: any Error, host: String, port: Int) -> String {
        if error is SocketAddressError.UnknownHost { return "no address is known for the name \(host)" }
        guard let code = (error as? IOError)?.errnoCode else { return "\(error)" }
        switch code {
        case EADDRINUSE: return inUse(port)
        case EADDRNOTAVAIL:
            return
                "this machine has no such address; 127.0.0.1 is for programs on this machine alone, 0.0.0.0 for "
                + "every network that it is in"
        case EACCES:
            return "ports below 1024 are for root; listen on a higher one (port 0 takes a free one)"
        case EINVAL where host.lowercased().hasPrefix("fe80:") && !host.contains("%"):
            return "a link-local address needs its interface, as in fe80::1%eth0"
        default: return SystemWords.text(code)
        }
    }

    private static func inUse(_ port: Int) -> String {
        let holders = PortHolder.holders(of: port)
        let whose =
            holders.isEmpty
            ? "another program has the port (as root, \"ss -ltnp 'sport = :\(port)'\" names it)"
            : "the port is taken by \(holders.map(\.text).joined(separator: " and "))"
        return "\(whose); end that one, or listen on another port (port 0 takes a free one)"
    }
}

/// A process that listens on a port of this machine, as far as `/proc` tells: of other users' processes it does not,
/// unless this one is root's.
struct PortHolder: Hashable {
    var name: String
    var process: Int

    var text: String { "\(name) (process \(process))" }

    /// Who listens on a TCP port, by process.
    ///
    /// Where nobody is found, it looks again: what `/proc` lists changes while it is read, on a busy machine.
    ///
    /// - Complexity: O(open files of all processes).
    static func holders(of port: Int) -> [PortHolder] {
        (0..<5).lazy.map { _ in look(for: port) }.first { !$0.isEmpty } ?? []
    }

    private static func look(for port: Int) -> [PortHolder] {
        let sockets = Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeners(in: $0, port: port) })
        guard !sockets.isEmpty else { return [] }
        let files = FileManager.default
        // Not Foundation's list: that gives up where an entry goes while it reads.
        let processes = Folder.names(in: "/proc").compactMap { Int($0) }
        return processes.sorted().filter { process in
            let folder = "/proc/\(process)/fd"
            return Folder.names(in: folder).contains { name in
                (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")).map(sockets.contains)
                    ?? false
            }
        }
        .map { process in
            let name = text("/proc/\(process)/comm", limit: 64)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            return PortHolder(name: name.isEmpty ? "?" : name, process: process)
        }
    }

    /// The sockets that listen on a port, as links in `/proc/<process>/fd` name them.
    private static func listeners(in table: String, port: Int) -> [String] {
        text(table, limit: 16 << 20).split(separator: "\n").dropFirst().compactMap { line in
            // The columns of proc(5): number, local address, remote address, state (0A listens), …, inode tenth.
            let columns = line.split(separator: " ")
            guard columns.count > 9, columns[3] == "0A",
                columns[1].split(separator: ":").last.flatMap({ Int($0, radix: 16) }) == port
            else { return nil }
            return "socket:[\(columns[9])]"
        }
    }

    /// A file of `/proc` to its end. Not Foundation's reader: that takes the first page of a long table, which is all that
    /// one call gives, for the whole of it.
    private static func text(_ path: String, limit: Int) -> String {
        let bytes = (try? Folder.read(path, limit: limit)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
