import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, own policies")
struct GrowingPolicyTests {
    @Test(
        "back-off: no tick sends meanwhile; a try at the end of each wait",
        arguments: [GrowingRules.Version.v3, .v4])
    func backoff(version: GrowingRules.Version) {
        let world = GrowingWorld(version) { $0.upload.retry = .backoff(4, factor: 5, limit: 100) }
        world.startApp()
        world.track(1)
        world.run(to: 5)
        world.fail(.reset, at: 6)
        world.answer(503, at: 11)
        world.track(12)
        world.answer(200, at: 32)
        // 6 + 4, 11 + 20; the tick at 20 is left out, and the one at 35 finds nothing.
        #expect(world.plannedSeconds == [0, 5, 10, 31])
        #expect(world.uploads.last?.sequences == [1, 2])
        #expect(world.fates[1]?.attempts == 3)
        #expect(world.fates[2]?.attempts == 1)
    }

    @Test("Retry-After: nothing begins before, instant events neither")
    func retryAfter() {
        let world = GrowingWorld(.v4) { $0.upload.retry.heedsRetryAfter = true }
        world.startApp()
        world.track(1)
        world.run(to: 5)
        world.end(.upload, nil, with: .answered(status: 429, body: [], retryAfter: .seconds(40)), at: 6)
        // Another user begins a session, whose VISIT is instant.
        world.act(10, .login(account: 1, signUp: false))
        world.act(11, .login(account: 2, signUp: false))
        world.run(to: 49)
        #expect(world.plannedSeconds == [0, 5])
        world.run(to: 50)
        #expect(world.plannedSeconds.prefix(3) == [0, 5, 50])
    }

    @Test("concurrency: uploads of a channel side by side, each with events of its own")
    func concurrency() {
        let world = GrowingWorld(.v4) {
            $0.upload.batch = 2
            $0.upload.concurrency = 2
        }
        world.startApp()
        world.track(1, count: 5)
        world.run(to: 5)
        #expect(world.uploads.map(\.sequences) == [[0], [1, 2], [3, 4]])
        // An answer lets the next begin, with what is not on its way.
        world.answer(200, at: 6, channel: 1)
        #expect(world.uploads.map(\.sequences) == [[0], [1, 2], [3, 4], [5]])
        #expect(world.plannedSeconds == [0, 5, 5, 6])
        world.answer(500, at: 7, channel: 1)
        world.run(to: 20)
        // What failed goes with the next tick, beside what is still on its way.
        #expect(world.uploads.last?.sequences == [3, 4])
        world.answerAll(200, at: 21)
        #expect(world.sequences(.delivered) == [0, 1, 2, 3, 4, 5])
    }

    @Test("413: the channel goes on at once with half, batch after batch; the limit stays for the process")
    func split() {
        let world = GrowingWorld(.v4) {
            $0.upload.batch = 4
            $0.upload.retry = .splitting
        }
        world.startApp()
        world.track(1, count: 4)
        world.run(to: 5)
        world.answer(413, at: 6)
        world.answer(200, at: 7)
        world.run(to: 20)
        #expect(world.uploads.map(\.sequences) == [[0], [1, 2, 3, 4], [1, 2], [3, 4]])
        // As much is left as a request may carry now, though less than a batch of the rules.
        #expect(world.plannedSeconds == [0, 5, 6, 7])
        world.answer(413, at: 21)
        world.answer(413, at: 22)
        #expect(world.uploads.suffix(2).map(\.sequences) == [[3], [4]])
        #expect(world.plannedSeconds.suffix(2) == [21, 22])
        #expect(world.fate(3) == .rejected(status: 413))
    }

    @Test("networks: on others nothing leaves, whatever the policies of events")
    func networks() {
        let world = GrowingWorld(.v3, network: .cellular5G) { $0.upload.networks = [.wifi] }
        world.startApp()
        world.track(1)
        world.run(to: 20)
        #expect(world.uploads.isEmpty)
        world.setNetwork(.wifi, at: 21)
        world.run(to: 35)
        #expect(world.plannedSeconds == [35, 35])
        #expect(world.uploads.map(\.sequences) == [[0], [1]])
    }
}
