import Testing
import Timebase

@testable import World

@Suite("ClientFaultDirector")
struct ClientFaultTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    private func window(_ fault: ClientFault, _ change: (inout ClientFaultScope) -> Void = { _ in })
        -> ClientFaultWindow
    {
        var scope = ClientFaultScope()
        change(&scope)
        return ClientFaultWindow(from: at(10), until: at(20), fault: fault, scope: scope)
    }

    private func director(_ windows: ClientFaultWindow...) -> ClientFaultDirector {
        var plan = ClientFaultPlan()
        plan.windows = windows
        return ClientFaultDirector(plan: plan)
    }

    private func request(
        device: UInt32 = 0, population: Int = 0, ordinal: UInt64 = 0, seed: UInt64 = 1
    ) -> ClientRequest {
        ClientRequest(
            population: population, device: device,
            stream: RandomStream(seed: seed, population: 5, index: UInt64(device), purpose: .clientFaults),
            ordinal: ordinal, upload: ordinal % 2 == 0 ? UInt32(ordinal / 2) : nil)
    }

    @Test(
        "holds from its first instant to before its last",
        arguments: [(9, false), (10, true), (19, true), (20, false)])
    func times(time: Int64, isConcerned: Bool) {
        let verdict = director(window(.drop)).verdict(on: request(), at: at(time))
        #expect(verdict.fate == (isConcerned ? .drop : .goes))
    }

    @Test("delays add up, and the first fate in the plan wins")
    func combination() {
        let director = director(
            window(.delay(.constant(5))), window(.lostReply(.timeout)), window(.delay(.constant(7))),
            window(.drop))
        let verdict = director.verdict(on: request(), at: at(10))
        #expect(verdict == ClientFaultVerdict(delay: .milliseconds(12), fate: .lostReply(.timeout)))
        #expect(director.verdict(on: request(), at: at(9)) == .none)
    }

    @Test("is for one population, one device and one upload, where it says so")
    func scope() {
        let director = director(
            window(.drop) { $0.population = 1 }, window(.reset(.half)) { $0.device = 7 },
            window(.lostReply(.reset)) { $0.uploadNumber = 3 })
        func fate(_ request: ClientRequest) -> ClientFaultVerdict.Fate {
            director.verdict(on: request, at: at(15)).fate
        }
        #expect(fate(request(device: 7, population: 1)) == .drop)
        #expect(fate(request(device: 7)) == .reset(.half))
        #expect(fate(request(device: 8)) == .goes)
        #expect(fate(request(device: 8, ordinal: 6)) == .lostReply(.reset))
        // A fetch of the configuration is no upload.
        #expect(fate(request(device: 8, ordinal: 7)) == .goes)
    }

    @Test("shares are of requests and of devices, by seed, and multiply")
    func shares() {
        func dropped(seed: UInt64) -> [[Bool]] {
            let director = director(
                window(.drop) {
                    $0.share = 0.3
                    $0.deviceShare = 0.4
                })
            return (0..<500).map { device in
                (0..<100).map { ordinal in
                    let request = request(device: UInt32(device), ordinal: UInt64(ordinal), seed: seed)
                    return director.verdict(on: request, at: at(15)).fate == .drop
                }
            }
        }
        let first = dropped(seed: 1)
        #expect(first == dropped(seed: 1))
        #expect(first != dropped(seed: 2))
        let devices = first.filter { $0.contains(true) }
        #expect((160...240).contains(devices.count))
        let share = Double(devices.joined().filter { $0 }.count) / Double(devices.count * 100)
        #expect((0.27...0.33).contains(share))
    }

    @Test("another window changes nobody's draws, and no share is nobody")
    func independence() {
        let alone = director(window(.drop) { $0.share = 0.5 })
        let both = director(window(.drop) { $0.share = 0.5 }, window(.delay(.exponential(mean: 3))))
        let none = director(window(.drop) { $0.share = 0 }, window(.drop) { $0.deviceShare = 0 })
        for ordinal in 0..<200 {
            let request = request(ordinal: UInt64(ordinal))
            #expect(
                alone.verdict(on: request, at: at(15)).fate == both.verdict(on: request, at: at(15)).fate)
            #expect(none.verdict(on: request, at: at(15)) == .none)
        }
    }
}
