package import Scenario
import TestSupport
import Timebase

/// One scenario with everything that was found when it was played: what invariants judge.
package struct Trial: Sendable {
    package var document: ScenarioDocument
    package var outcome: Outcome
    /// The same world again; `nil` where it was not asked for.
    package var again: Outcome?
    /// Other worlds in which the outcome has to be the same, by their names.
    package var others: [(name: String, outcome: Outcome)] = []
    /// Whole runs of the program's own, as the bytes of what they wrote; `nil` where it was not asked for.
    package var program: ProgramTrial?

    package init(document: ScenarioDocument, outcome: Outcome) {
        self.document = document
        self.outcome = outcome
    }
}

/// Something that holds in every world, whatever is drawn.
package protocol Invariant: Sendable {
    /// The name in findings and in the corpus.
    static var name: String { get }
    /// What is wrong, in sentences; empty if it holds.
    static func violations(in trial: Trial) -> [String]
}

/// Every invariant of the swarm.
package enum Invariants {
    package static let all: [any Invariant.Type] = [
        BooksBalance.self, OneFateEach.self, BooksAreTheirEvents.self, AuditAddsUp.self,
        AcknowledgedIsHeld.self, CopiesAreAttempts.self, RejectionsAreRefusals.self,
        NothingIsClearedUnasked.self, NoIDInvented.self, EverythingDecodes.self, SequencesAreMonotone.self,
        TimesAreInOrder.self, FreshnessIsOfItsEvents.self, SeriesAddUp.self, BoundsHold.self,
        DrainIsNotCut.self, WhatIsAliveDrains.self, SlotsComeBack.self, AnswersAreRead.self,
        HeldIsDurable.self, SameSeedSameOutcome.self, WorldsAgree.self, BeliefsAreFates.self,
        AttemptsAreUploads.self, DrainIsNoLonger.self, NetworksReturn.self, UploadsAreMeasured.self,
    ]

    /// What a trial breaks.
    package static func violations(in trial: Trial) -> [Violation] {
        all.flatMap { invariant in
            invariant.violations(in: trial).prefix(3).map { Violation(invariant: invariant.name, text: $0) }
        }
    }
}

/// An invariant that does not hold, and where one sees it.
package struct Violation: Hashable, Sendable {
    package var invariant: String
    package var text: String

    package init(invariant: String, text: String) {
        self.invariant = invariant
        self.text = text
    }
}

/// The bytes of what a run of the program wrote, without what may differ between two runs.
package struct RunFiles: Hashable, Sendable {
    package var report: String
    package var events: [UInt8]
    package var series: [UInt8]
    package var exitCode: Int32

    package init(report: String, events: [UInt8], series: [UInt8], exitCode: Int32) {
        self.report = report
        self.events = events
        self.series = series
        self.exitCode = exitCode
    }
}

/// What the program wrote of one scenario.
package struct ProgramTrial: Hashable, Sendable {
    package var first: RunFiles
    package var second: RunFiles
    /// Of parts that were played one by one and joined; `nil` for a scenario that cannot be played in parts.
    package var joined: RunFiles?

    package init(first: RunFiles, second: RunFiles) {
        self.first = first
        self.second = second
    }
}
