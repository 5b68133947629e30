#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What this machine allows: descriptors of the process, ports towards one destination.
package enum MachineLimits {
    /// Descriptors that are not for devices' connections: standard streams, event loops, files.
    static let reserve = 100
    /// With fewer descriptors than this no run is possible: the reserve, and a connection's two ends.
    package static let least = reserve + 2

    /// Raises the limit of open descriptors to the most that the process may have.
    ///
    /// - Returns: the limit that now holds.
    @discardableResult
    package static func raiseDescriptorLimit() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return 256 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections the devices may have open at once.
    ///
    /// - Parameters:
    ///   - limit: The process' limit of descriptors.
    ///   - sharedWithCollector: Whether the other end of each connection is in this process too.
    ///   - stores: Descriptors that the devices' own files take (``storeBudget(limit:files:)``).
    package static func descriptorBudget(
        limit: Int, sharedWithCollector: Bool, stores: Int = 0
    ) -> Int {
        max(1, (limit - reserve - stores) / (sharedWithCollector ? 2 : 1))
    }

    /// How many of the devices' files may be open at once: all of them if they take a third of the
    /// descriptors at most. The rest is closed and opened again as needed.
    package static func storeBudget(limit: Int, files: Int) -> Int {
        min(files, max(8, (limit - reserve) / 3))
    }

    /// The number of ports that connections to one destination can begin at, from the system's range;
    /// 28,232 (Linux's default) where the system does not say.
    package static func ephemeralPorts() -> Int {
        guard let file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r") else { return 28_232 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return 28_232 }
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let bounds = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard bounds.count == 2, bounds[1] >= bounds[0] else { return 28_232 }
        return bounds[1] - bounds[0] + 1
    }

    /// CPU time of the calling thread in nanoseconds.
    static func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
