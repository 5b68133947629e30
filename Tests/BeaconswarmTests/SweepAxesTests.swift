import Testing

@testable import Beaconswarm
@testable import Rendering
@testable import Reporting

@Suite("Axes of a sweep")
struct SweepAxesTests {
    @Test("values are divided at commas, but for those within JSON")
    func values() throws {
        let axes = try SweepAxes.parse([#"a.b=1,[2,3],{"c":[4,5]},"x,\"y\",z",5s"#, "/c/0=7"])
        #expect(axes[0].values == ["1", "[2,3]", #"{"c":[4,5]}"#, #""x,\"y\",z""#, "5s"])
        #expect(SweepReport.names(of: axes) == ["b", "0"])
        #expect(SweepReport.grid(axes).count == 5)
    }

    @Test("the first axis is the slowest, and like names are told apart")
    func grid() {
        let axes = [
            SweepReport.Axis(path: "a.x", values: ["1", "2"]),
            SweepReport.Axis(path: "b.x", values: ["3", "4"]),
        ]
        #expect(SweepReport.grid(axes) == [["1", "3"], ["1", "4"], ["2", "3"], ["2", "4"]])
        #expect(SweepReport.name(["1", "4"], of: axes) == "a.x=1 b.x=4")
    }

    @Test(
        "what is no axis is wrong usage",
        arguments: [[], ["x"], ["=1"], ["a="], ["a=1,"], ["a=1,1"], ["a=1", "a=2"]])
    func wrong(_ texts: [String]) {
        #expect(throws: CommandFailure.self) { try SweepAxes.parse(texts) }
    }

    @Test("a grid has a limit")
    func limit() {
        let many = (0..<101).map(String.init).joined(separator: ",")
        #expect(throws: CommandFailure.self) { try SweepAxes.parse(["a=\(many)", "b=\(many)"]) }
    }
}
