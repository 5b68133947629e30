import Beaconswarm

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the process with the code that the command line tool would end with.
func exit(with status: CommandStatus) -> Never { exit(status.rawValue) }
