import Testing

@testable import DeviceSDK

@Suite("What a timed event is about")
struct TimedSubjectTests {
    @Test("leaves a duration exact that it has room beside", arguments: [0, 17, 65_534] as [UInt32])
    func narrow(subject: UInt32) {
        for milliseconds in [0, 1, 2_353, 86_399_999] as [Int64] {
            let timed = TimedSubject(subject, milliseconds: milliseconds)
            #expect(!timed.isWide && timed.subject == subject && timed.milliseconds == milliseconds)
        }
    }

    @Test("takes its place and rounds it", arguments: [65_535, 65_536, 4_294_836_223] as [UInt32])
    func wide(subject: UInt32) {
        let times: [Int64] = [
            0, 1, 2_353, 4_095, 4_097, 8_191, 61_234, 2_098_175, 3_600_001, 86_399_999, 129_599_999,
        ]
        for milliseconds in times {
            let timed = TimedSubject(subject, milliseconds: milliseconds)
            #expect(timed.isWide && timed.subject == subject && timed.control < .max)
            let error = abs(milliseconds - timed.milliseconds)
            #expect(error * 4096 <= milliseconds, "\(milliseconds)")
            #expect(milliseconds >= 4096 || error == 0)
        }
    }
}
