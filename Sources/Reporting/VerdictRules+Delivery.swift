import Rendering

extension VerdictRules {
    /// What became of a run's uploads, from its start on, whatever is measured.
    package struct Delivery: Sendable {
        package var isLive = false
        /// Whether they went to a collector that did not come with the run.
        package var isExternal = true
        /// Whether it is the scenario's purpose that nothing gets through.
        package var expectsNothing = false
        /// Whether it is the scenario's purpose that the guard ends the run.
        package var expectsGuard = false
        /// Uploads that began, those without an answer included.
        package var uploads: UInt64 = 0
        /// Those whose answer their system takes as success.
        package var acknowledged: UInt64 = 0
        /// By status or failure, the most frequent first.
        package var answers: [Report.NamedCount] = []
        package var ownFailures: [Report.OwnFailure] = []
        /// Whether something answered requests in HTTP/1.1 in HTTP/2.
        package var meetsNewerHTTP = false
        package init() {}
    }

    /// The share of a run's uploads in which Beaconswarm may fail by itself; a run with more is invalid.
    package static let ownFailureLimit = 0.01
    /// With a smaller share of its uploads acknowledged, a run warns.
    static let acknowledgedLimit = 0.5
}

extension Report {
    /// What is to be said at the end of a run, even of one that is to be quiet: that its uploads mostly came
    /// to nothing, that Beaconswarm itself was in the way, or that a part of it is missing.
    package var alarms: [String] {
        guard !isPartial else { return [] }
        let own = [delivery.ownFailureReason].compactMap(\.self)
        let unheard = [delivery.reason?.text].compactMap(\.self)
        return own + earlyEnds.map(\.text) + unheard + delivery.warnings
            + [run.missingParts].compactMap(\.self)
    }
}

extension VerdictRules.Delivery {
    /// What the answers, or the lack of them, say of a live run; `nil` where it is as it should be.
    var reason: (cause: VerdictRules.Cause, text: String)? {
        guard isLive, uploads > 0, !expectsGuard else { return nil }
        if expectsNothing {
            guard acknowledged > 0 else { return nil }
            let text =
                "The scenario expects that nothing is delivered, but \(Numbers.count(acknowledged)) of "
                + "\(uploadsText) got an answer that the sending system takes as success."
            return (.deliveredUnexpectedly, text)
        }
        // What never left for want of a socket, or broke on our own disk, tells nothing.
        guard acknowledged == 0, ownFailed < allUploads else { return nil }
        let advice =
            meetsNewerHTTP
            ? "The server answers in HTTP/2 what is asked in HTTP/1.1: \"http\": \"2\" of the target speaks it."
            : isExternal
                ? "Look whether the target's URL is the collector's, and what it logs."
                : ownAdvice
        let text =
            "Nothing was delivered: of \(uploadsText) not one got an answer that the sending system takes as "
            + "success (\(answersText)). \(advice) If that is the scenario's purpose, let it say "
            + "\"expect\": \"nothing delivered\"."
        return (.nothingDelivered, text)
    }

    /// Where to look if the collector came with the run.
    private var ownAdvice: String {
        let timeline = "Look at the scenario's timeline"
        guard answers.contains(where: { $0.name == "413" }) else { return timeline + "." }
        return timeline
            + ", and at the size of uploads: the embedded collector answers more than 8 MiB with 413."
    }

    /// Why the run says nothing about the collector, or a simulation nothing about its devices, where Beaconswarm itself
    /// failed too often.
    package var ownFailureReason: String? {
        guard ownFailed > 0, ownShare > VerdictRules.ownFailureLimit else { return nil }
        let subject =
            isLive
            ? "this run says nothing about the collector" : "this simulation says nothing about its devices"
        return ownFailureText + ", so \(subject): \(ownTexts)."
    }

    /// What is to be said of a run beside its verdict.
    package var warnings: [String] {
        guard uploads > 0 else { return [] }
        var warnings: [String] = []
        if ownFailed > 0, ownFailureReason == nil {
            warnings.append(
                ownFailureText + ": \(ownTexts); with more than "
                    + "\(Numbers.percent(VerdictRules.ownFailureLimit)) the run would be invalid")
        }
        guard isLive else { return warnings }
        let share = Double(acknowledged) / Double(uploads)
        if !expectsNothing, !expectsGuard, acknowledged > 0, share < VerdictRules.acknowledgedLimit {
            warnings.append(
                "only \(Numbers.percent(share)) of the uploads (\(Numbers.count(acknowledged)) of "
                    + "\(Numbers.count(uploads))) got an answer that the sending system takes as success "
                    + "(\(answersText))")
        }
        return warnings
    }

    private var ownFailed: UInt64 { ownFailures.reduce(0) { $0 + $1.count } }
    private var ownShare: Double { min(1, Double(ownFailed) / Double(max(1, allUploads))) }
    /// In a report that lost its series, ``uploads`` are those alone that were measured.
    private var allUploads: UInt64 { max(uploads, answers.reduce(0) { $0 + $1.count }) }
    private var ownTexts: String { ownFailures.map(\.text).joined(separator: "; ") }

    private var ownFailureText: String {
        "Beaconswarm itself failed \(Numbers.count(ownFailed, of: "time")) "
            + (allUploads > 0
                ? "in \(Numbers.count(allUploads, of: "upload")) (\(Numbers.percent(ownShare)))"
                : "and no upload began")
    }

    private var uploadsText: String { Numbers.count(uploads, of: "upload") }

    /// The most frequent answers.
    private var answersText: String {
        let shown = answers.prefix(5).map { "\($0.name): \(Numbers.count($0.count))" }
        return shown.joined(separator: ", ") + (answers.count > shown.count ? ", …" : "")
    }
}
