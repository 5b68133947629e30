import Testing

@testable import Rendering
@testable import Reporting

@Suite("Numbers for people")
struct NumbersTests {
    @Test(
        "puts commas between thousands",
        arguments: [
            (UInt64(0), "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"),
            (UInt64.max, "18,446,744,073,709,551,615"),
        ])
    func counts(value: UInt64, text: String) { #expect(Numbers.count(value) == text) }

    @Test(
        "never rounds something to nothing, nor almost all to all",
        arguments: [
            (0.0, "0 %"), (0.000001, "<0.01 %"), (0.0197, "1.97 %"), (0.5, "50.0 %"), (0.9993, "99.93 %"),
            (0.9999999, ">99.99 %"), (1.0, "100 %"),
        ])
    func percent(share: Double, text: String) { #expect(Numbers.percent(share) == text) }

    @Test(
        "tells times as clocks do",
        arguments: [
            (0.0, "0 ms"), (0.0854, "85 µs"), (0.9994, "999 µs"), (0.9997, "1 ms"), (1.239, "1.24 ms"),
            (148.21, "148 ms"), (999.6, "1 s"),
            (12_345.0, "12.3 s"),
            (59_960.0, "1m"), (200_000.0, "3m 20s"), (7_500_000.0, "2h 5m"), (259_200_000.0, "3d"),
            (273_600_000.0, "3d 4h"), (-5.0, "-5 ms"),
        ] as [(Double, String)])
    func durations(milliseconds: Double, text: String) {
        #expect(Numbers.duration(milliseconds: milliseconds) == text)
    }

    @Test(
        "tells times since the start exactly, however late they are",
        arguments: [
            (0.0, "0"), (0.1, "0.1s"), (0.0002, "0.0002s"), (30, "30s"), (59.9996, "1m"), (90, "1m30s"),
            (90.25, "1m30.25s"), (7200, "2h"), (171_000, "1d23h30m"), (172_620, "1d23h57m"),
            (172_920.5, "2d2m0.5s"), (86_401, "1d1s"), (-90, "-1m30s"),
        ])
    func clock(seconds: Double, text: String) { #expect(Ticks.clockLabel(seconds) == text) }

    @Test(
        "tells bytes in decimal units",
        arguments: [(0.0, "0 B"), (999.0, "999 B"), (1500.0, "1.5 kB"), (2.4e9, "2.4 GB")])
    func bytes(value: Double, text: String) { #expect(Numbers.bytes(value) == text) }

    @Test("gives three digits, and values that can be typed back")
    func short() {
        #expect(Numbers.short(1234.5) == "1,235")
        #expect(Numbers.short(0.0123) == "0.012" && Numbers.short(4.24e-7) == "0.000000424")
        #expect(Numbers.plain(1234.56) == "1234.6")
        #expect(Numbers.exact(6202.8328) == "6,202.8" && Numbers.exact(6202.8328, besides: 5000) == "6,202.8")
        #expect(Numbers.exact(6202.8328, besides: 6202.8) == "6,202.83")
        #expect(Numbers.exact(6202.84, besides: 6202.83) == "6,202.84")
        #expect(Numbers.exact(5000.000_2, besides: 5000) == "5,000.0002")
        #expect(Numbers.exact(6202.8, besides: 6202.8) == "6,202.8")
        #expect(
            Numbers.exact(0.000_000_1, besides: 0) == "0.0000001" && Numbers.exact(0.000_000_1) == "0.0000001"
        )
        #expect(Numbers.exact(4.24e-7, besides: 0.000_001) == "0.000000424" && Numbers.plain(1e-13) == "0")
        #expect(Numbers.plain(0.00123) == "0.00123")
        #expect(Numbers.fixed(.nan, 1) == "nan")
    }

    @Test(
        "every axis covers its values with a handful of round ticks",
        arguments: [0.0, 0.003, 1, 7, 49, 999, 1001, 8.3e9])
    func ticks(maximum: Double) {
        let ticks = Ticks.linear(upTo: maximum)
        #expect((ticks.last ?? 0) >= maximum)
        #expect((2...7).contains(ticks.count))
        #expect((1...8).contains(Ticks.clock(upTo: maximum).count))
        let times = Ticks.times(from: maximum / 1000, to: maximum)
        #expect(times.count >= 2)
        #expect((times.last ?? 0) >= maximum)
    }
}
