import Reporting
import Timebase

// What is said when a run is interrupted, or is the last of several.

extension RunConsole {
    /// Says that the first interrupt was heard, what happens now, and what another one does.
    ///
    /// - Parameter ofTheRun: Whether the drain is told by the run's clock, which a simulation does not wait for.
    func stopping(drain: Interval, ofTheRun: Bool = false) {
        status("")
        let clock = ofTheRun ? " of the run's time" : ""
        let rest =
            drain > .zero ? "draining for up to \(drain.text)\(clock)" : "only open answers are awaited"
        say("stopping: no more user actions; \(rest); interrupt again to end at once")
    }

    /// Says what becomes of one run of several that ends before its time.
    func leavingOut() {
        say("no further run begins; this one is kept as interrupted, and compared with nothing")
    }

    /// Answers an interrupt between two runs of several.
    func beginningNoMore() {
        status("")
        say("stopping: no further run begins; interrupt again to end at once")
    }

    /// Answers an interrupt of simulations that are played side by side.
    func dropping() {
        status("")
        say("stopping: simulations that have not ended are dropped; interrupt again to end at once")
    }

    /// Says that one run of several was the last, since what ended it would end the next one too.
    func beginningNoMore(after cause: Report.EarlyEnd.Cause) {
        switch cause {
        case .guard: warn("no further run begins: the guard ended this one")
        case .maxRate: warn("no further run begins: this one passed --max-rate")
        }
    }

    /// Answers an interrupt that comes when there is nothing to be ended any more.
    func writing() { say("the run is over, its results are being written; interrupt again to end at once") }
}
