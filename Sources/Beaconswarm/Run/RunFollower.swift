import LiveEngine
import Measurement
import Reporting
import Scenario
import Timebase

/// Follows a live run from outside: its progress, the thresholds that may end it, its partial report.
struct RunFollower {
    let run: LiveRun
    let runner: LiveRunner
    let builder: ReportBuilder
    let state: RunState
    let events: EventFile?
    let start: Instant
    let began: Interval

    /// Returns when the run is over, with the threshold that ended it, if one did.
    func follow() async -> Report.ThresholdResult? {
        var abortedBy: Report.ThresholdResult?
        // The first is written at once: a run that breaks off early can be read too.
        var isFirst = true
        while true {
            await pause()
            guard let snapshot = try? await run.snapshot() else { return abortedBy }
            if snapshot.phase == .finished { return abortedBy }
            let elapsed = max(.zero, snapshot.now - start)
            events?.flush()
            if let warning = events?.newWarning() { runner.console.warn(warning) }
            runner.console.progress(
                snapshot.recorder, elapsed: elapsed, planned: runner.scenario.document.duration,
                phase: snapshot.phase == .running ? "running" : "draining", isLive: true,
                pace: builder.pace)
            if abortedBy == nil, snapshot.phase == .running,
                let broken = builder.abortingThreshold(snapshot.recorder, elapsed: elapsed)
            {
                abortedBy = broken
                runner.console.say(
                    "threshold \(broken.metric) \(broken.expression) is broken: ending the run")
                run.stop()
            }
            state.note(progress(snapshot, elapsed: elapsed), isFirst: isFirst)
            isFirst = false
        }
    }

    /// Waits for a second, or until nothing more is to be waited for.
    private func pause() async {
        for _ in 0..<10 where !runner.interruption.isRepeated {
            try? await Task.sleep(for: .milliseconds(100))
        }
        if runner.interruption.isRepeated { try? await Task.sleep(for: .milliseconds(20)) }
    }

    private func progress(_ snapshot: LiveSnapshot, elapsed: Interval) -> ReportBuilder.Progress {
        var progress = ReportBuilder.Progress(
            recorder: snapshot.recorder, simulated: elapsed, wall: Host.monotonic - began,
            devicesStarted: Int(snapshot.recorder.series.buckets.last?.gauges.devicesStarted ?? 0),
            fingerprint: 0)
        progress.generator.scheduleLag = TrendSummary(snapshot.recorder.scheduleLag)
        return progress
    }
}

extension ReportBuilder {
    /// How well the generator kept its schedule.
    static func generator(_ result: LiveResult) -> Report.Generator {
        var generator = Report.Generator()
        generator.saturated = result.health.isSaturated
        generator.scheduleLag = TrendSummary(result.health.scheduleLag)
        generator.cpuUtilization = result.health.busyShares.max() ?? 0
        generator.eventLoops = result.health.busyShares.count
        generator.connectionsOpened = result.connectionsOpened
        generator.connectionsRecycled = result.connectionsRecycled
        generator.connectionsPeak = UInt64(result.connectionsPeak)
        generator.tlsHandshakes = result.handshakes
        return generator
    }
}
