import Glibc

/// The memory that the process can still take, by everything that bounds it.
struct MemoryRoom: Equatable {
    /// Bytes that may still be taken.
    var bytes: UInt64
    /// What sets the bound.
    var bound: String

    /// Reads what the system says now.
    ///
    /// - Parameters:
    ///   - root: The folder in which `proc` and `sys` lie.
    ///   - addressSpace: The limit of the process' addresses (`ulimit -v`) in bytes, less those in use; `nil` for
    ///     none.
    static func now(root: String = "", addressSpace: UInt64? = MemoryRoom.addressSpaceLeft) -> MemoryRoom? {
        var rooms: [MemoryRoom] = []
        if let kilobytes = MemoryRoom.value("MemAvailable:", in: "\(root)/proc/meminfo") {
            rooms.append(MemoryRoom(bytes: kilobytes * 1024, bound: "the machine"))
        }
        for group in groups(root: root) {
            if let bytes = group.room {
                rooms.append(MemoryRoom(bytes: bytes, bound: "the control group's limit"))
            }
        }
        if let addressSpace { rooms.append(MemoryRoom(bytes: addressSpace, bound: "ulimit -v")) }
        return rooms.min { $0.bytes < $1.bytes }
    }

    /// Addresses that the process may still take; `nil` where nothing bounds them.
    static var addressSpaceLeft: UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != .max else {
            return nil
        }
        let pages = text("/proc/self/statm")?.split(separator: " ").first.flatMap { UInt64($0) } ?? 0
        let used = pages * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
        return UInt64(limit.rlim_cur) - min(used, UInt64(limit.rlim_cur))
    }

    /// The control groups that the process is in, from its own to the uppermost.
    private static func groups(root: String) -> [ControlGroup] {
        var groups: [ControlGroup] = []
        for line in (text("\(root)/proc/self/cgroup") ?? "").split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let isFirst = fields[1].split(separator: ",").contains("memory")
            guard isFirst || fields[1].isEmpty else { continue }
            let mounts = isFirst ? ["memory"] : ["", "unified"]
            for mount in mounts {
                var path = String(fields[2])
                // In a container the path may be the host's: its own group is then at the mount.
                while true {
                    let folder = [root + "/sys/fs/cgroup", mount, path].map { $0.trimmed("/") }
                        .filter { !$0.isEmpty }.joined(separator: "/")
                    groups.append(
                        ControlGroup(folder: (root.hasPrefix("/") || root.isEmpty ? "/" : "") + folder))
                    guard let slash = path.lastIndex(of: "/"), path != "/", !path.isEmpty else { break }
                    path = String(path[..<slash])
                }
            }
        }
        return groups
    }

    fileprivate static func text(_ path: String) -> String? {
        (try? OutputFile.read(path, failing: .internalError)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number behind a name at the beginning of a line.
    fileprivate static func value(_ name: String, in path: String) -> UInt64? {
        for line in (text(path) ?? "").split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.count >= 2, words[0] == name { return UInt64(words[1]) }
        }
        return nil
    }
}

/// A control group with a limit of memory, of version 1 or 2.
private struct ControlGroup {
    var folder: String

    /// Bytes that the group may still take; what its files hold in the cache can be given up.
    var room: UInt64? {
        guard let limit = number("memory.max") ?? number("memory.limit_in_bytes"),
            let used = number("memory.current") ?? number("memory.usage_in_bytes"), limit < 1 << 60
        else { return nil }
        let statistics = "\(folder)/memory.stat"
        let cache =
            MemoryRoom.value("total_inactive_file", in: statistics)
            ?? MemoryRoom.value("inactive_file", in: statistics) ?? 0
        return limit - min(limit, used - min(used, cache))
    }

    private func number(_ name: String) -> UInt64? {
        MemoryRoom.text("\(folder)/\(name)").flatMap { UInt64($0.trimmed("\n ")) }
    }
}

extension String {
    fileprivate func trimmed(_ characters: String) -> String {
        var part = self[...]
        while let first = part.first, characters.contains(first) { part.removeFirst() }
        while let last = part.last, characters.contains(last) { part.removeLast() }
        return String(part)
    }
}
