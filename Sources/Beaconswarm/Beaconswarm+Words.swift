import NIOCore
import NIOPosix
import Rendering
import Scenario

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Beaconswarm {
    /// The name that a user may have meant; `nil` if none is near.
    package static func nearestName(to name: String, among names: [String]) -> String? {
        NameDistance.nearest(to: name, among: names)
    }

    /// An error that nobody expected, for people: the system's words where it is the system's.
    package static func words(for error: any Error) -> String {
        if let failure = error as? CommandFailure { return failure.message }
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        if let error = error as? NIOConnectionError {
            guard let first = error.connectionErrors.first else { return "\(error.host) has no address" }
            return words(for: first.error)
        }
        return Escaping.lines("\(error)")
    }
}

extension BinaryInteger {
    /// A number with what it counts, whose plural ends with "s": `1 event`, `2 events`.
    func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
