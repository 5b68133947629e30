import Accounting
import DeviceSDK
import Scenario
import TestSupport
import Timebase
import World

/// captured = delivered + suppressed + evicted + rejected + lost + pending.
enum BooksBalance: Invariant {
    static let name = "balance"
    static func violations(in trial: Trial) -> [String] {
        trial.outcome.world.ledgers.enumerated().compactMap { index, ledger in
            ledger.balance == 0
                ? nil
                : "population \(index) captured \(ledger.captured) and sealed \(ledger.sealed): \(ledger.balance)"
        }
    }
}

/// Each event that was captured is sealed once, and only once.
enum OneFateEach: Invariant {
    static let name = "one-fate"
    static func violations(in trial: Trial) -> [String] {
        let outcome = trial.outcome
        var problems = outcome.world.repeated.prefix(3).map { "\($0.device)-\($0.sequence) was sealed again" }
        var sealed: [UInt32: Set<UInt32>] = [:]
        for event in outcome.sealed { sealed[event.id.device, default: []].insert(event.id.sequence) }
        for (device, count) in outcome.world.captured.enumerated() {
            let known = sealed[UInt32(device)] ?? []
            guard let missing = (0..<count).first(where: { !known.contains($0) }) else { continue }
            problems.append("\(device)-\(missing) of \(count) was never sealed")
        }
        return problems
    }
}

/// The ledger's counts are those of the events that it sealed.
enum BooksAreTheirEvents: Invariant {
    static let name = "books-are-events"
    static func violations(in trial: Trial) -> [String] {
        var ledgers = trial.outcome.world.ledgers.map { ledger in
            var own = Ledger()
            own.captured = ledger.captured
            return own
        }
        for event in trial.outcome.sealed { ledgers[event.population].seal(event.disposition) }
        return zip(ledgers, trial.outcome.world.ledgers).enumerated().compactMap { index, pair in
            pair.0 == pair.1 ? nil : "the books of population \(index) are not those of its events"
        }
    }
}

/// The two sums of the audit, and that the devices' delivered events are the audit's.
enum AuditAddsUp: Invariant {
    static let name = "audit-sums"
    static func violations(in trial: Trial) -> [String] {
        let world = trial.outcome.world
        let audit = world.audit
        var problems = audit.imbalances
        let delivered = world.lines.values.count { $0.disposition == .delivered }
        if audit.delivered != UInt64(delivered) {
            problems.append("\(delivered) events were delivered, the audit knows \(audit.delivered)")
        }
        if audit.recoveredSuppressed > 0 {
            problems.append(
                "the collector holds \(audit.recoveredSuppressed) events that were never to leave")
        }
        return problems
    }
}

/// What was acknowledged is held, but for what a fault of the scenario swallowed or a dry run asked for.
enum AcknowledgedIsHeld: Invariant {
    static let name = "acknowledged-is-held"
    static func violations(in trial: Trial) -> [String] {
        let audit = trial.outcome.world.audit
        guard audit.ackedNotFound > 0 else { return [] }
        let first = audit.missing.first.map { ", \($0.device)-\($0.sequence) first" } ?? ""
        return ["\(audit.ackedNotFound) acknowledged events are not held\(first)"]
    }
}

/// What the collector took is what uploads carried: never more than the attempts, and without faults on the way not
/// less either.
enum CopiesAreAttempts: Invariant {
    static let name = "copies-are-attempts"
    static func violations(in trial: Trial) -> [String] {
        let outcome = trial.outcome
        let received = outcome.world.audit.received + outcome.world.audit.dryRun
        // Counts end at 65,535, and a request that is still open may have been read.
        guard outcome.sealed.allSatisfy({ $0.attempts < .max }), !outcome.wasCut else { return [] }
        let attempts = outcome.sealed.reduce(0) { $0 + UInt64($1.attempts) }
        if received > attempts, !mayCarryTwice(trial.document) {
            return ["the collector took \(received) copies of \(attempts) attempts"]
        }
        let isCalm = isCalm(trial.document)
        guard isCalm, outcome.isModelled, outcome.world.audit.dryRun == 0, outcome.openRequests == 0,
            received < attempts
        else {
            return []
        }
        return ["without faults the collector took \(received) copies of \(attempts) attempts"]
    }

    /// Whether nothing on the way loses a request, and nobody turns one away.
    private static func isCalm(_ document: ScenarioDocument) -> Bool {
        guard document.server == nil, document.populations.allSatisfy(\.network.isIdeal) else { return false }
        return document.timeline.allSatisfy { entry in
            switch entry.change {
            case .collector, .client: false
            case .remoteConfig, .network, .disk, .consent, .push, .rollOut: true
            }
        }
    }
}

extension CopiesAreAttempts {
    private static func mayCarryTwice(_ document: ScenarioDocument) -> Bool {
        document.statedBounds.contains(where: \.carriesTwice)
    }
}

/// An answer that a system takes for success rejects nothing, nor does one after which its rules keep what was carried.
enum RejectionsAreRefusals: Invariant {
    static let name = "rejections-are-refusals"
    static func violations(in trial: Trial) -> [String] {
        let bounds = trial.document.statedBounds
        return trial.outcome.sealed.compactMap { event in
            guard case .rejected(let status) = event.disposition else { return nil }
            let isKept = bounds[event.population].keepsAll(refusedWith: status) == true
            guard (200...299).contains(status) || isKept else { return nil }
            return "\(event.id.device)-\(event.id.sequence) was rejected with \(status)"
        }
    }
}

extension StatedBounds {
    /// Whether an upload's rows all stay after an answer, or are all rejected; `nil` where that is not said: a 413 may leave
    /// what goes in halves, and rejects what is too large alone.
    func keepsAll(refusedWith status: UInt16) -> Bool? {
        status == 413 && splitsOn413 ? nil : keeps?.keeps(status)
    }
}

/// What is cleared unsent is what a system's rules let it clear: Sensors only where a body cannot be built or a file is
/// damaged.
enum NothingIsClearedUnasked: Invariant {
    static let name = "nothing-cleared-unasked"
    static func violations(in trial: Trial) -> [String] {
        let mayClear = trial.document.statedBounds.map(\.clearsUnsent)
        return trial.outcome.sealed.compactMap { event in
            guard event.disposition == .lost(.clearedUnsent), !mayClear[event.population] else { return nil }
            return "\(event.id.device)-\(event.id.sequence) was cleared unsent"
        }
    }
}

/// The collector holds nothing that no device made.
enum NoIDInvented: Invariant {
    static let name = "no-id-invented"
    static func violations(in trial: Trial) -> [String] {
        let unexpected = trial.outcome.world.audit.unexpected
        return unexpected > 0 ? ["the collector holds \(unexpected) events that no device made"] : []
    }
}

/// The collector can read all that arrives whole.
enum EverythingDecodes: Invariant {
    static let name = "everything-decodes"
    static func violations(in trial: Trial) -> [String] {
        let undecodable = trial.outcome.world.audit.undecodable
        return undecodable > 0 ? ["\(undecodable) events could not be read"] : []
    }
}

/// What the audit believes of an event is its fate.
enum BeliefsAreFates: Invariant {
    static let name = "beliefs-are-fates"
    static func violations(in trial: Trial) -> [String] { trial.outcome.misbelieved.map { [$0] } ?? [] }
}

/// Events have travelled as often as uploads with a network were asked for that carried them, of each population.
enum AttemptsAreUploads: Invariant {
    static let name = "attempts-are-uploads"
    static func violations(in trial: Trial) -> [String] {
        let (document, outcome) = (trial.document, trial.outcome)
        // Counts end at 65,535.
        guard outcome.sealed.allSatisfy({ $0.attempts < .max }), !outcome.wasCut else { return [] }
        var attempts: [Int: UInt64] = [:]
        for event in outcome.sealed { attempts[event.population, default: 0] += UInt64(event.attempts) }
        return document.statedBounds.enumerated().compactMap { index, bounds in
            let carried = outcome.carried[index] ?? 0
            guard attempts[index] ?? 0 != carried, !bounds.carriesTwice else { return nil }
            return
                "events of population \(index) have \(attempts[index] ?? 0) attempts, its uploads had \(carried) events"
        }
    }
}

/// What is measured of uploads is what their devices saw of them: how each ended, and how long answers took.
enum UploadsAreMeasured: Invariant {
    static let name = "uploads-are-measured"
    static func violations(in trial: Trial) -> [String] {
        let outcome = trial.outcome
        guard !outcome.wasCut, trial.document.pace == 1 else { return [] }
        return outcome.measured.sorted { $0.key < $1.key }.flatMap { population, measured -> [String] in
            let seen = outcome.seen[population] ?? Outcome.Uploads()
            let names = Set(measured.ends.keys).union(seen.ends.keys).sorted()
            var wrong = names.compactMap { name -> String? in
                let (told, real) = (measured.ends[name] ?? 0, seen.ends[name] ?? 0)
                guard told != real else { return nil }
                return
                    "population \(population) counts \(told) uploads that ended with \(name), its devices saw \(real)"
            }
            if let told = measured.answering, let real = seen.answering, abs(told - real) > 1 + real / 1e4 {
                wrong.append(
                    "answers to population \(population) took \(told) ms, as its devices saw them \(real) ms")
            }
            return wrong
        }
    }
}
