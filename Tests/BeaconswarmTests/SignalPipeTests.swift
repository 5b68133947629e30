import Dispatch
import Glibc
import Testing

@testable import Beaconswarm

@Suite(.serialized) struct SignalPipeTests {
    /// Long enough that only a signal which is never heard reaches it.
    private static let hang = DispatchTimeInterval.seconds(60)

    @Test func aSignalIsHeardFromTheFirstMomentOn() {
        for round in 0..<200 {
            let heard = DispatchSemaphore(value: 0)
            let pipe = SignalPipe([SIGUSR1], on: DispatchQueue(label: "signals")) { heard.signal() }
            kill(getpid(), SIGUSR1)
            #expect(heard.wait(timeout: .now() + Self.hang) == .success, "round \(round)")
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func afterwardsASignalIsWhatItWasBefore() {
        var before = sigaction()
        sigaction(SIGUSR2, nil, &before)
        do {
            let pipe = SignalPipe([SIGUSR2], on: DispatchQueue(label: "signals")) {}
            var during = sigaction()
            sigaction(SIGUSR2, nil, &during)
            #expect(handler(of: during) != handler(of: before))
            withExtendedLifetime(pipe) {}
        }
        var after = sigaction()
        sigaction(SIGUSR2, nil, &after)
        #expect(handler(of: after) == handler(of: before))
    }

    private func handler(of action: sigaction) -> Int {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }
}
