import DeviceSDK
import LiveEngine
import Testing
import Timebase

@testable import Beaconswarm

@Suite("Connections that devices keep")
struct ConnectionCourseTests {
    /// The course of requests, each by its device and the millisecond at which it begins.
    private func peak(
        _ requests: [(device: Int, at: Int64)], perDevice: Int = 4, staysOpen: Bool = true
    ) -> ConnectionsInUse {
        var course = Self.course(perDevice: perDevice, staysOpen: staysOpen)
        for request in requests { course.note(request.device, at: .milliseconds(request.at)) }
        course.endDevices()
        return course.peak
    }

    private static func course(perDevice: Int = 4, staysOpen: Bool = true) -> ConnectionCourse {
        ConnectionCourse(
            perDevice: perDevice, staysOpen: staysOpen,
            schedule: RunSchedule(start: Instant(milliseconds: 0), duration: .minutes(10), drain: .zero),
            pace: 1)
    }

    @Test("are as many as it has requests within what answers take, and no more than it may have")
    func sideBySide() {
        let launch: [(device: Int, at: Int64)] = [(0, 0), (0, 3), (0, 400)]
        #expect(peak(launch) == ConnectionsInUse(devices: 1, connections: 3))
        #expect(peak(launch, perDevice: 2) == ConnectionsInUse(devices: 1, connections: 2))
        #expect(
            peak([(0, 0), (0, 5000), (0, 10_000)]) == ConnectionsInUse(devices: 1, connections: 1))
    }

    @Test("stay for a minute after the last request, whether or not the app is still there")
    func kept() {
        let users: [(device: Int, at: Int64)] = [(0, 0), (1, 50_000), (2, 100_000)]
        #expect(peak(users) == ConnectionsInUse(devices: 2, connections: 2))
        #expect(peak(users, staysOpen: false) == ConnectionsInUse(devices: 1, connections: 1))
        // Who comes back in time is still there, after it anew.
        #expect(peak([(0, 0), (0, 50_000), (1, 100_000)]).devices == 2)
        #expect(peak([(0, 0), (0, 300_000), (1, 500_000)]).devices == 1)
    }

    @Test("add up over devices that are played one after the other, and are scaled to all")
    func sample() {
        var course = Self.course()
        for _ in 0..<25 {
            course.note(0, at: .seconds(1))
            course.endDevices()
        }
        #expect(course.most(ofDevices: 25, scale: 1) == ConnectionsInUse(devices: 25, connections: 25))
        let most = course.most(ofDevices: 1000, scale: 10)
        #expect(most.devices > 250 && most.devices < 400 && most.connections == most.devices)
        #expect(course.most(ofDevices: 260, scale: 10).devices == 260)
    }
}
