package import World

/// The networks on which an SDK uploads, as bits.
package struct NetworkMask: Hashable, Sendable {
    private var bits: UInt8 = 0

    /// - Parameter kinds: `nil` for all, no network included: then requests are made and fail.
    package init(_ kinds: Set<NetworkKind>?) {
        // A sum of bits: the set's order does not matter.
        for kind in NetworkKind.allCases where kinds?.contains(kind) ?? true { insert(kind) }
    }

    /// What is in any of several.
    package init(anyOf masks: [NetworkMask]) { bits = masks.reduce(0) { $0 | $1.bits } }

    /// What is in all of several.
    package init(allOf masks: [NetworkMask]) { bits = masks.reduce(.max) { $0 & $1.bits } }

    package var isEmpty: Bool { bits == 0 }
    package mutating func insert(_ kind: NetworkKind) { bits |= 1 << kind.rawValue }
    package func contains(_ kind: NetworkKind) -> Bool { bits & (1 << kind.rawValue) != 0 }
}
