import DeviceSDK
import LiveEngine
import Measurement
import Reporting
import Timebase

/// Asks a live run once a second how far it has come.
struct LiveFollower {
    let run: LiveRun
    let interruption: Interruption
    var follower: RunFollower

    /// Returns when the run is over, with the threshold that ended it, if one did.
    mutating func follow() async -> Report.ThresholdResult? {
        while true {
            await pause()
            guard let snapshot = try? await run.snapshot(), snapshot.phase != .ended else {
                return follower.abortedBy
            }
            let isRunning = snapshot.phase == .running
            follower.show(
                snapshot.recorder, at: snapshot.now, phase: isRunning ? "running" : "draining",
                isDraining: !isRunning)
            if isRunning, follower.abortedBy == nil, follower.judge(snapshot.recorder, at: snapshot.now) {
                end()
            }
            var generator = Report.Generator()
            generator.scheduleLag = TrendSummary(snapshot.recorder.scheduleLag)
            follower.keep(
                snapshot.recorder, at: snapshot.now, fingerprint: 0, usersStoppedAt: snapshot.usersStoppedAt,
                generator: generator)
        }
    }

    private func end() {
        guard let broken = follower.abortedBy else { return }
        follower.console.say("threshold \(broken.metric) \(broken.expression) is broken: ending the run")
        run.stop()
    }

    /// Waits for a second, or until nothing more is to be waited for.
    private func pause() async {
        for _ in 0..<10 where !interruption.isRepeated {
            try? await Task.sleep(for: .milliseconds(100))
        }
        if interruption.isRepeated { try? await Task.sleep(for: .milliseconds(20)) }
    }
}

extension ReportBuilder {
    /// How well the generator kept its schedule.
    static func generator(_ result: LiveResult) -> Report.Generator {
        var generator = Report.Generator()
        generator.saturated = result.health.isSaturated
        generator.scheduleLag = TrendSummary(result.health.scheduleLag)
        generator.cpuUtilization = result.health.busiestLoop
        generator.eventLoops = result.health.busyShares.count
        generator.connectionsOpened = result.connectionsOpened
        generator.connectionsRecycled = result.connectionsRecycled
        generator.connectionsPeak = UInt64(result.connectionsPeak)
        generator.tlsHandshakes = result.handshakes
        generator.tlsHandshakeSeconds = Double(result.handshakeTime) / 1e9
        generator.loopSeconds = Double(result.threadTime) / 1e9
        generator.http2Connections = result.sharedConnections
        generator.http2Streams = result.streamsOpened
        return generator
    }
}
