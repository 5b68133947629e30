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
    let folder: RunFolder
    let events: EventFile?
    let start: Instant
    let began: Interval

    /// Returns when the run is over, with the threshold that ended it, if one did.
    func follow() async -> Report.ThresholdResult? {
        var abortedBy: Report.ThresholdResult?
        // The first at once: a run that breaks off early can be read too.
        var partialDue = began
        while true {
            try? await Task.sleep(for: .seconds(1))
            guard let snapshot = try? await run.snapshot() else { return abortedBy }
            if snapshot.phase == .finished { return abortedBy }
            let elapsed = max(.zero, snapshot.now - start)
            events?.flush()
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
            if Host.monotonic >= partialDue {
                partialDue = Host.monotonic + Report.statePeriod
                writePartial(snapshot, elapsed: elapsed)
            }
        }
    }

    private func writePartial(_ snapshot: LiveSnapshot, elapsed: Interval) {
        var progress = ReportBuilder.Progress(
            recorder: snapshot.recorder, simulated: elapsed, wall: Host.monotonic - began,
            devicesStarted: Int(snapshot.recorder.series.buckets.last?.gauges.devicesStarted ?? 0),
            fingerprint: 0)
        progress.generator.scheduleLag = TrendSummary(snapshot.recorder.scheduleLag)
        progress.isPartial = true
        do throws(CommandFailure) {
            try folder.writePartial(builder.report(progress))
        } catch {
            runner.console.warn(error.message)
        }
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
