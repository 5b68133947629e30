import Accounting
import LiveEngine
import Measurement
import Scenario
import Timebase
import VirtualEngine

// What playing a scenario in virtual time takes, whoever asks for it and whatever becomes of the result.

extension RunStores {
    /// The stores of a run on one thread.
    ///
    /// - Throws: as ``init(_:keep:connections:shards:)``.
    init(ofSimulated scenario: LoadedScenario, keep: String? = nil) throws(CommandFailure) {
        let limit = MachineLimits.raiseDescriptorLimit()
        try self.init(
            scenario, keep: keep,
            connections: MachineLimits.storeBudget(limit: limit, files: scenario.filesOfDevices), shards: 1)
    }
}

extension ReportBuilder.Progress {
    /// How a simulation went.
    init(_ result: VirtualResult, of scenario: LoadedScenario, wall: Interval = .zero) {
        self.init(
            recorder: result.recorder, simulated: result.simulated, wall: wall,
            devicesStarted: result.devicesStarted, fingerprint: result.recorder.eventFingerprint)
        usersStoppedAt = result.stoppedAt
        drainEndedAt = result.drainEndedAt
        audit = Audit.compare(beliefs: result.recorder.beliefs, receipts: result.receipts)
        auditNote = scenario.untaggedNote
    }
}
