import Testing
import Timebase

@testable import World

@Suite("RequestCourse")
struct RequestCourseTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    /// The course of a request that begins at 0, with a limit of 1000 ms of real time.
    private func course(
        _ fate: ClientFaultVerdict.Fate = .goes, delay: Int64 = 0, replyDelay: Int64 = 0,
        handover: ReplyHandover? = nil, hasNetwork: Bool = true, pace: Int64 = 1
    ) -> RequestCourse {
        var verdict = ClientFaultVerdict(delay: .milliseconds(delay), fate: fate)
        verdict.replyDelay = .milliseconds(replyDelay)
        verdict.handover = handover
        return RequestCourse(
            verdict, limit: .milliseconds(1000), hasNetwork: hasNetwork, pace: pace, at: at(0))
    }

    private func handover(_ milliseconds: Int64, gap: Int64? = nil) -> ReplyHandover {
        ReplyHandover(
            after: .milliseconds(milliseconds), breaks: gap == nil, gap: .milliseconds(gap ?? 0))
    }

    @Test("leaves at once, and fails at its limit")
    func limit() {
        var course = course()
        #expect(course.nextMoment == .distantFuture)
        #expect(course.proceed(at: at(0), isClosing: false) == .send)
        #expect(course.stage == .underway && course.nextMoment == at(1000))
        #expect(course.proceed(at: at(999), isClosing: false) == nil)
        course.waitForConnection()
        #expect(course.nextMoment == at(1000))
        course.leaveOnConnection()
        #expect(course.proceed(at: at(1000), isClosing: true) == .fail(.timedOut))
        #expect(course.nextMoment == .distantFuture)
        #expect(course.proceed(at: at(2000), isClosing: false) == nil)
    }

    struct Beginning: Sendable, CustomTestStringConvertible {
        var fate = ClientFaultVerdict.Fate.goes
        var delay: Int64 = 0
        var hasNetwork = true
        var isClosing = false
        var action: RequestCourse.Action
        var testDescription: String { "\(fate), \(delay) ms, \(action)" }
    }

    @Test(
        "begins as its verdict says",
        arguments: [
            Beginning(fate: .drop, action: .keepSilent), Beginning(delay: 1000, action: .keepSilent),
            Beginning(fate: .refused, action: .fail(.refused)),
            Beginning(hasNetwork: false, action: .fail(.offline)),
            Beginning(fate: .drop, isClosing: true, action: .giveBack),
            Beginning(hasNetwork: false, isClosing: true, action: .giveBack),
            Beginning(fate: .reset(.half), action: .send), Beginning(fate: .lostReply(.reset), action: .send),
            Beginning(
                fate: .refused, delay: 999, action: .hold(until: Instant(milliseconds: 999))),
        ])
    func beginning(_ case: Beginning) {
        var course = course(`case`.fate, delay: `case`.delay, hasNetwork: `case`.hasNetwork)
        #expect(course.proceed(at: at(0), isClosing: `case`.isClosing) == `case`.action)
        let isOver =
            switch `case`.action {
            case .fail, .giveBack: true
            default: false
            }
        #expect((course.nextMoment == .distantFuture) == isOver)
    }

    @Test("leaves when it was held long enough, and not after the drain or its limit")
    func held() {
        var course = course(delay: 300)
        #expect(course.proceed(at: at(0), isClosing: false) == .hold(until: at(300)))
        #expect(course.nextMoment == at(300))
        #expect(course.proceed(at: at(299), isClosing: true) == nil)
        var (refused, late, closing) = (self.course(.refused, delay: 300), course, course)
        #expect(course.proceed(at: at(300), isClosing: false) == .send)
        #expect(closing.proceed(at: at(300), isClosing: true) == .giveBack)
        #expect(closing.stage == .returned)
        #expect(late.proceed(at: at(1000), isClosing: false) == .fail(.timedOut))
        #expect(refused.proceed(at: at(0), isClosing: false) == .hold(until: at(300)))
        #expect(refused.proceed(at: at(300), isClosing: false) == .fail(.refused))
    }

    @Test("its answer is there as late as its way is long, unless the limit comes first")
    func returning() {
        var prompt = course()
        #expect(prompt.proceed(at: at(0), isClosing: false) == .send)
        #expect(prompt.takeAnswer(at: at(400)) == .deliver)
        #expect(prompt.stage == .ended)

        var late = course(replyDelay: 200)
        #expect(late.proceed(at: at(0), isClosing: false) == .send)
        var later = late
        #expect(late.takeAnswer(at: at(400)) == .hold(until: at(600)))
        #expect(late.nextMoment == at(600))
        #expect(late.proceed(at: at(599), isClosing: false) == nil)
        // However late it is asked.
        #expect(late.proceed(at: at(5000), isClosing: false) == .deliver)

        #expect(later.takeAnswer(at: at(900)) == .hold(until: at(1100)))
        #expect(later.nextMoment == at(1000))
        #expect(later.proceed(at: at(1200), isClosing: false) == .fail(.timedOut))
    }

    @Test("a change of the radio breaks it, whatever it waits for, or holds its answer up")
    func breaking() {
        var waiting = course(replyDelay: 200, handover: handover(500))
        #expect(waiting.proceed(at: at(0), isClosing: false) == .send)
        #expect(waiting.breaksAt == at(500))
        var (early, lost) = (waiting, waiting)
        waiting.waitForConnection()
        #expect(waiting.nextMoment == at(500))
        #expect(waiting.proceed(at: at(500), isClosing: false) == .fail(.reset))
        #expect(early.takeAnswer(at: at(250)) == .hold(until: at(450)))
        #expect(early.proceed(at: at(700), isClosing: false) == .deliver)
        #expect(lost.takeAnswer(at: at(301)) == .keepSilent)
        #expect(lost.stage == .silent && lost.nextMoment == at(500))
        #expect(lost.proceed(at: at(500), isClosing: true) == .fail(.reset))

        var delayed = course(replyDelay: 200, handover: handover(500, gap: 100))
        #expect(delayed.breaksAt == nil)
        #expect(delayed.proceed(at: at(0), isClosing: false) == .send)
        #expect(delayed.takeAnswer(at: at(400)) == .hold(until: at(700)))
    }

    @Test("what nothing comes of any more ends at its limit")
    func silence() {
        var course = course()
        #expect(course.proceed(at: at(0), isClosing: false) == .send)
        course.fallSilent()
        #expect(course.nextMoment == at(1000))
        #expect(course.proceed(at: at(1000), isClosing: false) == .fail(.timedOut))
        var failed = self.course()
        #expect(failed.proceed(at: at(0), isClosing: false) == .send)
        failed.end()
        #expect(failed.nextMoment == .distantFuture)
        #expect(failed.proceed(at: at(1000), isClosing: false) == nil)
    }

    @Test("counts its moments in real time, on a clock that is faster")
    func pace() {
        var course = course(delay: 10, replyDelay: 20, handover: handover(50), pace: 100)
        #expect(course.endsAt == at(100_000) && course.breaksAt == at(5000))
        #expect(course.proceed(at: at(0), isClosing: false) == .hold(until: at(1000)))
        #expect(course.proceed(at: at(1000), isClosing: false) == .send)
        #expect(course.takeAnswer(at: at(1500)) == .hold(until: at(3500)))
        let patient = RequestCourse(
            .none, limit: .hours(24 * 365 * 90), hasNetwork: true, pace: 86_400, at: at(0))
        #expect(patient.endsAt == at(0) + .century)
    }
}
