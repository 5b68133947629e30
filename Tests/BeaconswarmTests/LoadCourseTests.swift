import Testing
import Timebase

@testable import Beaconswarm

@Suite("The busiest second of a forecast")
struct LoadCourseTests {
    private func course(_ seconds: [Int64], scale: Double, pace: Int = 1) -> LoadCourse {
        var requests = RequestsByInterval(pace: pace)
        for second in seconds { requests.note(at: .seconds(second)) }
        requests.noteDevices(10, until: nil)
        var course = LoadCourse(pace: pace)
        course.add(requests, scale: scale)
        return course
    }

    @Test("is one second of real time, wherever it is in a run of a year")
    func second() {
        let seconds: [Int64] = [0, 0, 0, 1, 5, 31_000_000, 31_000_000, 31_000_000, 31_000_000]
        #expect(course(seconds, scale: 1).peak == 4)
        // At pace 60 a real second has a minute of the run.
        #expect(course((0..<60).map { $0 }, scale: 1, pace: 60).peak == 1)
    }

    @Test("of a share of the devices is no single request times their number, and not much less than a crowd")
    func sample() {
        let few = course((0..<100).map { $0 * 100 }, scale: 200)
        #expect(few.most == 200)
        #expect(few.peak > 1 && few.peak < 2.5, "two a second on average: \(few.peak)")
        let crowd = course(Array(repeating: 7, count: 100), scale: 5)
        #expect(crowd.peak > 400 && crowd.peak < 500, "\(crowd.peak)")
    }

    @Test("counts devices that were played in part for those that were not there")
    func partly() {
        var requests = RequestsByInterval(pace: 1)
        for second in [0, 0, 0, 0, 20, 20, 20] as [Int64] { requests.note(at: .seconds(second)) }
        requests.noteDevices(30, until: nil)
        requests.noteDevices(30, until: .seconds(10))
        var course = LoadCourse(pace: 1)
        course.add(requests, scale: 1)
        #expect(course.most == 6)
    }

    @Test("is told as it is of a long run, too")
    func long() throws {
        let bench = try ScenarioBench()
        func forecast(_ duration: String) throws -> Forecast {
            let text = """
                {"name": "f", "seed": 7, "duration": "\(duration)", "populations": [{"name": "p", "devices": 30, \
                "system": "sensors", "version": "4.9.1"}]}
                """
            return Forecast(try LoadedScenario(try bench.source(text)).document)
        }
        let (short, long) = try (forecast("10m"), forecast("2h"))
        #expect(short.requestsPeak > 30 && short.eventsPeak > 30)
        #expect(long.requestsPeak >= short.requestsPeak, "\(long.requestsPeak) of \(short.requestsPeak)")
        #expect(long.eventsPeak >= short.eventsPeak, "\(long.eventsPeak) of \(short.eventsPeak)")
    }
}
