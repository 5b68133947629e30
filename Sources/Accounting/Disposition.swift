/// Where an event ended: its one fate with the cause.
///
/// The sets are closed on purpose: a new way to end is a change of the accounting, and the compiler
/// names every place that has to know it.
package enum Disposition: Hashable, Sendable {
    /// Carried by a request whose answer the system takes as success.
    case delivered
    case suppressed(Suppression)
    case evicted(Eviction)
    /// Dropped by the SDK after an answer that was no success; see ``retriesExhausted`` for status 0.
    case rejected(status: UInt16)
    case lost(Loss)
    case pending(Pending)

    /// Why an event was never recorded.
    package enum Suppression: UInt8, CaseIterable, Sendable {
        case sdkDisabled, blacklisted, autotrackOff, invalid, sampledOut, consent, intercepted
    }

    /// Why the store dropped an event.
    package enum Eviction: UInt8, CaseIterable, Sendable {
        case storageLimit, expired
    }

    /// How an event vanished from the device.
    package enum Loss: UInt8, CaseIterable, Sendable {
        case killed, clearedUnsent, storageError, uninstalled
    }

    /// Where an unsent event was at the end of the run.
    package enum Pending: UInt8, CaseIterable, Sendable {
        case stored, inFlight
    }
}

extension Disposition {
    /// Dropped by the SDK with the upload that failed once too often, whether there was an answer or not.
    package static let retriesExhausted = Disposition.rejected(status: exhausted)

    /// A status that no answer has.
    private static let exhausted: UInt16 = 0

    /// The cause of a rejection, as reports spell it.
    static func rejectionName(_ status: UInt16) -> String {
        status == exhausted ? "retries_exhausted" : String(status)
    }
}

/// The six fates, as users and reports name them.
package enum Fate: String, CaseIterable, Sendable {
    case delivered, suppressed, evicted, rejected, lost, pending
}

extension Disposition {
    /// The fate without its cause.
    package var fate: Fate {
        switch self {
        case .delivered: .delivered
        case .suppressed: .suppressed
        case .evicted: .evicted
        case .rejected: .rejected
        case .lost: .lost
        case .pending: .pending
        }
    }

    /// The cause as reports spell it: `storage_limit`, `killed`, a status such as `413`; `nil` for
    /// delivered events, which need no reason.
    package var cause: String? {
        switch self {
        case .delivered: nil
        case .suppressed(let cause): cause.name
        case .evicted(let cause): cause.name
        case .rejected(let status): Disposition.rejectionName(status)
        case .lost(let cause): cause.name
        case .pending(let cause): cause.name
        }
    }

    /// A number that differs between any two dispositions and never changes: part of fingerprints.
    @inlinable package var code: UInt32 {
        switch self {
        case .delivered: 0
        case .suppressed(let cause): 0x10000 | UInt32(cause.rawValue)
        case .evicted(let cause): 0x20000 | UInt32(cause.rawValue)
        case .rejected(let status): 0x30000 | UInt32(status)
        case .lost(let cause): 0x40000 | UInt32(cause.rawValue)
        case .pending(let cause): 0x50000 | UInt32(cause.rawValue)
        }
    }

    /// Reads ``code`` back; `nil` for a number that no disposition has.
    package init?(code: UInt32) {
        let cause = UInt8(truncatingIfNeeded: code)
        switch (code >> 16, code & 0xFF00) {
        case (0, 0) where cause == 0: self = .delivered
        case (1, 0):
            guard let cause = Suppression(rawValue: cause) else { return nil }; self = .suppressed(cause)
        case (2, 0): guard let cause = Eviction(rawValue: cause) else { return nil }; self = .evicted(cause)
        case (3, _): self = .rejected(status: UInt16(truncatingIfNeeded: code))
        case (4, 0): guard let cause = Loss(rawValue: cause) else { return nil }; self = .lost(cause)
        case (5, 0): guard let cause = Pending(rawValue: cause) else { return nil }; self = .pending(cause)
        default: return nil
        }
    }

    /// Reads fate and cause as reports spell them: `evicted` and `storage_limit`.
    package init?(fate: Fate, cause: String) {
        let found: Disposition? =
            switch fate {
            case .delivered: nil
            case .suppressed: Suppression.allCases.first { $0.name == cause }.map(Disposition.suppressed)
            case .evicted: Eviction.allCases.first { $0.name == cause }.map(Disposition.evicted)
            case .rejected:
                cause == Disposition.rejectionName(Disposition.exhausted)
                    ? .retriesExhausted : UInt16(cause).map(Disposition.rejected)
            case .lost: Loss.allCases.first { $0.name == cause }.map(Disposition.lost)
            case .pending: Pending.allCases.first { $0.name == cause }.map(Disposition.pending)
            }
        guard let found else { return nil }
        self = found
    }
}

extension Disposition.Suppression {
    package var name: String {
        switch self {
        case .sdkDisabled: "sdk_disabled"
        case .blacklisted: "blacklisted"
        case .autotrackOff: "autotrack_off"
        case .invalid: "invalid"
        case .sampledOut: "sampled_out"
        case .consent: "consent"
        case .intercepted: "intercepted"
        }
    }
}

extension Disposition.Eviction {
    package var name: String {
        switch self {
        case .storageLimit: "storage_limit"
        case .expired: "expired"
        }
    }
}

extension Disposition.Loss {
    package var name: String {
        switch self {
        case .killed: "killed"
        case .clearedUnsent: "cleared_unsent"
        case .storageError: "storage_error"
        case .uninstalled: "uninstalled"
        }
    }
}

extension Disposition.Pending {
    package var name: String {
        switch self {
        case .stored: "stored"
        case .inFlight: "in_flight"
        }
    }
}
