import Dispatch
import Glibc
import Synchronization
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Signals that come again")
struct SignalEchoTests {
    /// Which of some signals count, each told by its number and its milliseconds.
    private func counted(_ signals: [(Int32, Int64)]) -> [Bool] {
        var echo = SignalEcho()
        return signals.map { echo.isRequest(HeardSignal(number: $0, at: .milliseconds($1))) }
    }

    @Test("count once where they come at once, as those of `timeout` do")
    func echoes() {
        #expect(counted([(SIGTERM, 5), (SIGTERM, 5), (SIGTERM, 104)]) == [true, false, false])
        #expect(counted([(SIGTERM, 5), (SIGTERM, 105)]) == [true, true])
    }

    @Test("are held against the last that counted, so that many of them do not go on for ever")
    func steady() {
        let signals = (0..<10).map { (SIGINT, Int64($0) * 40) }
        #expect(counted(signals).enumerated().filter(\.element).map(\.offset) == [0, 3, 6, 9])
    }

    @Test("are others where they have another number")
    func others() {
        #expect(counted([(SIGINT, 0), (SIGTERM, 1), (SIGTERM, 2)]) == [true, true, false])
    }

    @Test("may come for a tenth of a second, which whoever listens waits for")
    func rest() {
        var echo = SignalEcho()
        #expect(echo.rest(at: .seconds(1)) == .zero)
        _ = echo.isRequest(HeardSignal(number: SIGTERM, at: .milliseconds(5)))
        #expect(echo.rest(at: .milliseconds(45)) == .milliseconds(60))
        #expect(echo.rest(at: .milliseconds(105)) == .zero)
        #expect(echo.rest(at: .seconds(9)) == .zero)
    }
}

@Suite(.serialized) struct SignalPipeTests {
    /// Long enough that only a signal which is never heard reaches it.
    private static let hang = DispatchTimeInterval.seconds(60)

    @Test func aSignalIsHeardFromTheFirstMomentOn() {
        for round in 0..<200 {
            let heard = DispatchSemaphore(value: 0)
            let pipe = SignalPipe([SIGUSR1], on: DispatchQueue(label: "signals")) { _ in heard.signal() }
            kill(getpid(), SIGUSR1)
            #expect(heard.wait(timeout: .now() + Self.hang) == .success, "round \(round)")
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func aSignalIsHeardAtTheTimeAtWhichItCame() throws {
        let heard = Mutex<HeardSignal?>(nil)
        let isHeard = DispatchSemaphore(value: 0)
        let pipe = SignalPipe([SIGUSR1], on: DispatchQueue(label: "signals")) { signal in
            heard.withLock { $0 = signal }
            isHeard.signal()
        }
        // A thread of a pool hears no signals.
        var (signals, before) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let begun = Host.monotonic
        // To this very thread: it goes on when the signal has been handled, whenever that is read.
        raise(SIGUSR1)
        let done = Host.monotonic
        #expect(isHeard.wait(timeout: .now() + Self.hang) == .success)
        let signal = try #require(heard.withLock { $0 })
        #expect(signal.number == SIGUSR1 && begun <= signal.at && signal.at <= done)
        withExtendedLifetime(pipe) {}
    }

    @Test func afterwardsASignalIsWhatItWasBefore() {
        let before = handler(of: SIGUSR2)
        do {
            let pipe = SignalPipe([SIGUSR2], on: DispatchQueue(label: "signals")) { _ in }
            #expect(handler(of: SIGUSR2) != before)
            withExtendedLifetime(pipe) {}
        }
        #expect(handler(of: SIGUSR2) == before)
    }

    @Test(arguments: [true, false]) func allWhoListenHearUntilTheyEnd(earlierEndsFirst: Bool) {
        let before = handler(of: SIGUSR1)
        let heard = (0..<2).map { _ in DispatchSemaphore(value: 0) }
        var pipes = heard.map { semaphore -> SignalPipe? in
            SignalPipe([SIGUSR1], on: DispatchQueue(label: "signals")) { signal in
                semaphore.signal()
                if signal.isShared { semaphore.signal() }
            }
        }
        kill(getpid(), SIGUSR1)
        // Once for the signal, and once for being one of two.
        for semaphore in heard + heard { #expect(semaphore.wait(timeout: .now() + Self.hang) == .success) }
        let (ended, left) = earlierEndsFirst ? (0, 1) : (1, 0)
        pipes[ended] = nil
        kill(getpid(), SIGUSR1)
        #expect(heard[left].wait(timeout: .now() + Self.hang) == .success)
        #expect(handler(of: SIGUSR1) != before)
        pipes[left] = nil
        #expect(handler(of: SIGUSR1) == before)
    }

    @Test func whatHasNotBegunLeavesTheProcessToTheOthers() {
        let begun = Interruption(to: [SIGUSR1])
        let waiting = Interruption(to: [SIGUSR1])
        let isAsked = DispatchSemaphore(value: 0)
        begun.onRequest { isAsked.signal() }
        kill(getpid(), SIGUSR1)
        #expect(isAsked.wait(timeout: .now() + Self.hang) == .success)
        wait { waiting.isRequested }
        // It begins, and is told at once.
        waiting.onRequest { isAsked.signal() }
        #expect(isAsked.wait(timeout: .now() + Self.hang) == .success)
        #expect(waiting.isRequested && !waiting.isRepeated)
        withExtendedLifetime(begun) {}
    }

    @Test func whatBeginsAfterTheSecondSignalEndsAtOnce() {
        // The process of the tests goes on, however long they take.
        let begun = Interruption(to: [SIGUSR1, SIGUSR2], grace: .never)
        let waiting = Interruption(to: [SIGUSR1, SIGUSR2], grace: .never)
        begun.begin {}
        interruptTwice(waiting)
        let (isEnded, isAsked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        waiting.begin { isEnded.signal() }
        #expect(isEnded.wait(timeout: .now() + Self.hang) == .success)
        waiting.onRequest { isAsked.signal() }
        #expect(isAsked.wait(timeout: .now() + Self.hang) == .success)
        withExtendedLifetime(begun) {}
    }

    @Test func whatHasNoEndAtOnceLeavesOthersTheirs() {
        let run = Interruption(to: [SIGUSR1, SIGUSR2], grace: .never)
        let dataset = Interruption(to: [SIGUSR1, SIGUSR2], grace: .never)
        let (isEnded, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        run.begin { isEnded.signal() }
        dataset.begin()
        dataset.onEnd { isOver.signal() }
        interruptTwice(dataset)
        #expect(isEnded.wait(timeout: .now() + Self.hang) == .success)
        // The process is still there, and would have to be told of a third one.
        #expect(isOver.wait(timeout: .now()) == .timedOut)
        withExtendedLifetime((run, dataset)) {}
    }

    /// Sends two signals, and waits until both are heard. Of one number, the second might be an echo of the first.
    private func interruptTwice(_ interruption: Interruption) {
        kill(getpid(), SIGUSR1)
        wait { interruption.isRequested }
        kill(getpid(), SIGUSR2)
        wait { interruption.isRepeated }
    }

    private func wait(until isSo: () -> Bool) {
        let end = Host.monotonic + .seconds(60)
        while !isSo(), Host.monotonic < end { usleep(1000) }
        let isHeard = isSo()
        #expect(isHeard)
    }

    private func handler(of number: Int32) -> Int {
        var action = sigaction()
        sigaction(number, nil, &action)
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }
}
