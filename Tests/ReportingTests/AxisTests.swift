import Testing

@testable import Rendering
@testable import Reporting

@Suite("Axes and labels")
struct AxisTests {
    @Test("labels that are too near to each other are left out, never the last")
    func apart() {
        #expect(Labels.apart([], 10) == [])
        #expect(Labels.apart([5], 10) == [0])
        #expect(Labels.apart([0, 4, 8, 12, 40], 10) == [0, 3, 4])
        #expect(Labels.apart([0, 20, 36, 40], 10) == [0, 1, 3])
        #expect(Labels.apart([100, 60, 55, 20], 10) == [0, 1, 3])
        #expect(Labels.apart([0, 3], 10) == [0])
    }

    @Test("labels beneath an axis move in from the border and leave room for each other")
    func beneath() {
        let frame = ChartFrame.compact
        let placed = Labels.beneath(
            [(0, "99.99999 %"), (20, "dropped"), (160, "kept"), (330, "99.99999 %")], in: frame)
        #expect(placed.map(\.text) == ["99.99999 %", "kept", "99.99999 %"])
        let half = 10 * ChartFrame.characterWidth / 2
        #expect(placed[0].x >= half && placed[2].x <= frame.width - half)
    }

    @Test("a legend goes on in the next row where there is no room")
    func legend() {
        let long = ["http_req_duration", "http_req_service", "event_freshness"]
        #expect(Legend.positions(long, in: .compact).map(\.row) == [0, 0, 1])
        #expect(Legend.positions(long, in: .roomy).allSatisfy { $0.x < ChartFrame.roomy.width })
        let frame = ChartFrame.compact.fitting(labels: ["1"], legend: long)
        #expect(frame.top == ChartFrame.compact.top + Legend.rowHeight)
    }

    @Test("an axis leaves room for its longest label")
    func room() {
        let frame = ChartFrame.roomy.fitting(labels: ["0", "1,234,567 kB"], legend: [])
        #expect(frame.left > 12 * 5.6)
    }

    @Test(
        "positions ascend from 0 to 1 on every axis",
        arguments: [
            [[0.0, 0.5, 1, 20]], [[0, 0.001], [1000]], [[3, 3, 3]], [[0]], [[]], [[1e-9], [1e9]], [[1e300]],
            [[Double.leastNonzeroMagnitude]],
        ] as [[[Double]]])
    func ascending(lines: [[Double]]) {
        for unit in [Axis.Unit.count, .perSecond, .bytesPerSecond, .time] {
            let axis = Axis(lines: lines, peaks: [30], unit: unit)
            #expect(axis.ticks == axis.ticks.sorted() && axis.ticks.count > 1)
            let values = (lines.flatMap { $0 } + [0, 1e-12, 1, 30]).sorted()
            let positions = values.map(axis.position)
            #expect(
                positions == positions.sorted() && positions.allSatisfy { (0...1).contains($0) }, "\(unit)")
            #expect(axis.position(axis.ticks.last ?? 0) == 1)
        }
    }

    @Test(
        "an axis for values below nothing goes down to them, with 0 among its ticks",
        arguments: [
            [-5.3, -30], [-0.001, 12], [-40, 1000], [-1e-300], [-Double.leastNonzeroMagnitude], [-2e6, 3],
            [-.infinity, 4],
        ]
            as [[Double]])
    func belowNothing(values: [Double]) {
        for unit in [Axis.Unit.count, .bytes, .perSecond, .time] {
            let axis = Axis(lines: [values], peaks: [], unit: unit)
            let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
            #expect(!axis.isLogarithmic && axis.ticks == axis.ticks.sorted() && axis.ticks.contains(0))
            #expect((2...8).contains(axis.ticks.count))
            #expect(axis.ticks[0] <= max(least, -1e300) * 0.999 && (axis.ticks.last ?? 0) >= greatest)
            let positions = (values + [0]).sorted().map(axis.position)
            #expect(positions == positions.sorted() && positions.allSatisfy { (0...1).contains($0) })
        }
        #expect(Axis([-12_000_000, -20_000], unit: .count).text(-12_000_000) == "-12 M")
    }

    @Test("a line far below a peak gets a logarithmic axis, one beside it does not")
    func scale() {
        #expect(Axis(lines: [[10, 12]], peaks: [40], unit: .perSecond).isLogarithmic == false)
        let axis = Axis(lines: [[0.01, 0.02]], peaks: [25], unit: .perSecond)
        #expect(axis.isLogarithmic)
        #expect(axis.ticks == [0, 0.01, 0.1, 1, 10, 100])
        #expect(Axis(lines: [[0, 0]], peaks: [], unit: .count).isLogarithmic == false)
        #expect(Axis(lines: [[1], [1e12]], peaks: [], unit: .count).ticks.count == 7)
    }

    @Test("values without end, and the largest, stand at the top", arguments: [Double.infinity, 1.7e308])
    func endless(value: Double) {
        for unit in [Axis.Unit.count, .perSecond, .time] {
            let axis = Axis(lines: [[value, 2], [1]], peaks: [value], unit: unit)
            #expect(axis.position(value) == 1 || axis.ticks.count < 2)
            #expect((0...1).contains(axis.position(1)))
        }
    }

    @Test("times within less than three decades have labels too", arguments: [0.4, 7.0, 900, 40_000, 5e7])
    func within(low: Double) {
        let ticks = Ticks.within(low, low * 16)
        #expect(ticks.count >= 3)
        #expect(ticks.allSatisfy { $0 >= low && $0 <= low * 16 } && ticks == ticks.sorted())
    }

    @Test("a close-up's clock has round times of the run")
    func clock() {
        #expect(Ticks.clock(from: 0, to: 60) == Ticks.clock(upTo: 60))
        #expect(
            Ticks.clock(from: 171_000, to: 180_600) == [171_000, 172_800, 174_600, 176_400, 178_200, 180_000])
        #expect(Ticks.clock(from: 10, to: 10) == [10])
    }
}
