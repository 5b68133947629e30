import Measurement
import Reporting
import Synchronization
import Timebase

/// The latest state of a run: what its folder tells while it goes on, and what is left of it if the process has to
/// end in the middle.
final class RunState: Sendable {
    private let builder: ReportBuilder
    private let folder: RunFolder
    private let console: RunConsole
    private let state: Mutex<State>
    /// Held while the state is written: the thread that hears signals writes too, and the older one must not be last.
    private let pen = Mutex(())

    private struct State {
        var progress: ReportBuilder.Progress
        /// When the state was last written, by the clock that only goes forward.
        var written: Interval?
        /// Why it could not be written last time.
        var warning: String?
        /// Counts the states.
        var stamp: UInt64 = 0
        /// Whether the process was told to end at once.
        var isEnding = false
    }

    /// The state of a run that has not begun; it is written at once, so that whatever kills the process leaves
    /// something to be read.
    init(_ builder: ReportBuilder, folder: RunFolder, start: Instant, console: RunConsole) {
        self.builder = builder
        self.folder = folder
        self.console = console
        let recorder = RunRecorder(start: start, populationCount: builder.populations.count)
        var progress = ReportBuilder.Progress(
            recorder: recorder, simulated: .zero, wall: .zero, devicesStarted: 0, fingerprint: 0)
        progress.isPartial = true
        state = Mutex(State(progress: progress))
        write()
        console.watch?.follow { [self] in edition }
    }

    /// The run begins: the state is written a last time where something ends the process in the middle of it.
    ///
    /// - Parameter cleanUp: What else is to be done then.
    func begin(_ interruption: any RunControl, cleanUp: @escaping @Sendable () -> Void) {
        interruption.onEnd { [self] in
            writeLastWords()
            cleanUp()
        }
    }

    /// The state and its number, to be made a report of whenever somebody wants one.
    private var edition: (stamp: UInt64, content: @Sendable () -> Watch.Content) {
        let (stamp, progress) = state.withLock { ($0.stamp, $0.progress) }
        return (stamp, { [builder] in .run(builder.report(progress)) })
    }

    /// Takes a new state over, and writes it if the last one written is older than ``Report/statePeriod``.
    ///
    /// - Parameter isFirst: Whether it is to be written in any case.
    func note(_ progress: ReportBuilder.Progress, isFirst: Bool = false) {
        var progress = progress
        progress.isPartial = true
        let isDue = state.withLock { state in
            if state.isEnding { progress.interrupted = true }
            state.progress = progress
            state.stamp += 1
            return isFirst || Host.monotonic - (state.written ?? .zero) >= Report.statePeriod
        }
        if isDue { write() }
    }

    /// Writes the state as that of a run whose process was told to end at once.
    func writeLastWords() {
        state.withLock { state in
            state.isEnding = true
            state.progress.interrupted = true
        }
        write()
    }

    private func write() { pen.withLock { _ in writeAlone() } }

    private func writeAlone() {
        let progress = state.withLock { state in
            state.written = Host.monotonic
            return state.progress
        }
        let warning: String?
        do throws(CommandFailure) {
            try folder.writePartial(builder.report(progress))
            warning = nil
        } catch {
            warning = error.message
        }
        let isNewWarning = state.withLock { state in
            defer { state.warning = warning }
            return state.warning != warning
        }
        // The run itself goes on: what a full disk costs shows when its end is written.
        if isNewWarning, let warning { console.warn(warning) }
    }
}
