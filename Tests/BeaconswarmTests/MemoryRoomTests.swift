import Foundation
import Testing

@testable import Beaconswarm

@Suite("The memory that is left")
struct MemoryRoomTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func put(_ text: String, at path: String) throws {
        let file = scratch.file(path)
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func room(addressSpace: UInt64? = nil) -> MemoryRoom? {
        MemoryRoom.now(root: scratch.path, addressSpace: addressSpace)
    }

    @Test("is what the machine has, where nothing else bounds it")
    func machine() throws {
        #expect(room() == nil)
        try put("MemTotal:  99999 kB\nMemAvailable:   4000 kB\n", at: "proc/meminfo")
        #expect(room() == MemoryRoom(bytes: 4_096_000, bound: "the machine"))
        #expect(room(addressSpace: 1000) == MemoryRoom(bytes: 1000, bound: "ulimit -v"))
    }

    @Test("is what the control group may still take, cache aside, or one of those above it")
    func second() throws {
        try put("MemAvailable: 4000 kB\n", at: "proc/meminfo")
        try put("0::/a/b\n", at: "proc/self/cgroup")
        try put("max\n", at: "sys/fs/cgroup/a/b/memory.max")
        try put("500\n", at: "sys/fs/cgroup/a/b/memory.current")
        try put("3000\n", at: "sys/fs/cgroup/a/memory.max")
        try put("1500\n", at: "sys/fs/cgroup/a/memory.current")
        try put("anon 900\ninactive_file 600\n", at: "sys/fs/cgroup/a/memory.stat")
        #expect(room() == MemoryRoom(bytes: 2100, bound: "the control group's limit"))
    }

    @Test("is read from the older kind of control groups too, and where a container sees its own as the root")
    func first() throws {
        try put("MemAvailable: 4000 kB\n", at: "proc/meminfo")
        try put("5:cpu,cpuacct:/x\n4:memory:/not/seen/here\n0::/\n", at: "proc/self/cgroup")
        try put("2000\n", at: "sys/fs/cgroup/memory/memory.limit_in_bytes")
        try put("2500\n", at: "sys/fs/cgroup/memory/memory.usage_in_bytes")
        try put("total_inactive_file 1000\n", at: "sys/fs/cgroup/memory/memory.stat")
        #expect(room() == MemoryRoom(bytes: 500, bound: "the control group's limit"))
        // Without a limit the kernel says the largest number of pages.
        try put("9223372036854771712\n", at: "sys/fs/cgroup/memory/memory.limit_in_bytes")
        #expect(room()?.bound == "the machine")
    }
}
