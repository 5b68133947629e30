import Accounting
import Testing

@testable import Rendering
@testable import Reporting

@Suite("Populations side by side")
struct PairingTests {
    private static func report(_ names: [String]) -> Report {
        var report = Fixtures.outage()
        report.populations = names.map {
            Report.Population(
                name: $0, system: "kit", version: "1", devices: 10_000, events: Report.EventCounts(),
                metrics: [])
        }
        return report
    }

    @Test("those with users of their own are told to differ by chance")
    func pairing() {
        var report = Self.report(["a", "b", "c"])
        #expect(report.pairingNote?.hasPrefix("The populations have users of their own: part of") == true)
        report.populations[1].users = "a"
        #expect(report.pairingNote?.hasPrefix("b has the users of a: they do the same") == true)
        #expect(report.pairingNote?.contains("Other populations have users of their own") == true)
        report.populations[2].users = "a"
        #expect(report.pairingNote?.contains("chance") == false)
        report.populations = [report.populations[0]]
        #expect(report.pairingNote == nil)
    }

    @Test("those that have another's users, but not its network, are not told to do the same")
    func unlike() {
        var report = Self.report(["a", "b", "c"])
        report.populations[1].users = "a"
        report.populations[2].users = "a"
        report.populations[2].userDifferences = ["network", "devices"]
        #expect(
            report.pairingNote
                == "b has the users of a: they do the same, device by device, so what differs is their SDKs'. "
                + "c has the users of a, but not its network, devices: not all that differs is their SDKs'.")
        report.populations.remove(at: 1)
        #expect(report.pairingNote?.contains("do the same") == false)
    }

    private static func spread(_ mean: Double, _ error: Double, gone: Double? = nil) -> DeviceSpread {
        DeviceSpread(
            captured: .init(mean: mean, standardError: error),
            gone: gone.map { .init(mean: $0, standardError: $0 / 4) })
    }

    @Test("the size of chance is told of few one by one, of many where it is greatest")
    func margins() {
        var report = Self.report(["a", "b"])
        report.populations[0].spread = Self.spread(31.24, 0.7, gone: 0.012)
        report.populations[1].spread = Self.spread(1290, 6, gone: 0)
        #expect(
            report.pairingNote?.hasSuffix(
                "leaves: a 31.2 ± 1.4 captured events, 1.20 ± 0.59 % of them gone; "
                    + "b 1,290 ± 12 captured events.") == true)
        // Few devices know little of all such users: t of one degree of freedom is 12.7.
        report.populations[0].devices = 2
        #expect(report.pairingNote?.contains("a 31.2 ± 8.9 captured events") == true)
        // Who has another population's users is no other sample.
        report.populations[1].users = "a"
        #expect(report.pairingNote?.contains("±") == false)
        report = Self.report(["a", "b", "c", "d", "e"])
        for index in 0..<5 { report.populations[index].spread = Self.spread(10, index == 3 ? 2 : 1) }
        #expect(
            report.pairingNote?.hasSuffix(
                "it is widest, d 10.0 ± 3.9 captured events.") == true)
    }

    @Test("a mean has the digits of its margin")
    func digits() {
        #expect(Numbers.estimate(31.2444, margin: 1.3721) == "31.2 ± 1.4")
        #expect(Numbers.estimate(1290, margin: 11.76) == "1,290 ± 12")
        #expect(Numbers.estimate(0.5, margin: 0.0312) == "0.500 ± 0.031")
        #expect(Numbers.estimate(20, margin: 9.96) == "20 ± 10")
        #expect(Numbers.estimate(3, margin: 0) == "3 ± 0")
    }

    @Test("report.json has it, and what is read is what was written")
    func json() throws {
        var report = Self.report(["a", "b"])
        report.populations[0].spread = Self.spread(31.25, 0.75, gone: 0.0125)
        report.populations[1].spread = Self.spread(2, 0.5)
        report.populations[1].users = "a"
        report.populations[1].userDifferences = ["network"]
        let bytes = ReportJSON.write(report)
        let read = try ReportJSON.read(bytes)
        #expect(read.populations.map(\.spread) == report.populations.map(\.spread))
        #expect(read.populations.map(\.userDifferences) == [[], ["network"]])
        #expect(ReportJSON.write(read) == bytes)
        #expect(
            !String(decoding: ReportJSON.write(Fixtures.outage()), as: UTF8.self).contains("device_spread"))
    }
}
