import AppModel
import Testing
import Timebase

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, what the app reads off the device")
struct GrowingReadingTests {
    @Test("general properties of 4.x tell who is signed in at each event, and the battery")
    func general() {
        var app = AppDescription.forGrowing
        app.dynamicSuperProperties = [
            PropertyRule("is_login", .reading(.isSignedIn)),
            PropertyRule("battery_level", .reading(.batteryLevel)),
        ]
        let world = GrowingWorld(.v4, app: app)
        world.startApp()
        world.track(1)
        world.act(2, .login(account: 0, signUp: true))
        world.track(3)
        world.act(4, .logout)
        world.track(5)
        let texts = world.encodedEvents().filter { $0.contains(#""eventName":"BuyGoods""#) }
        #expect(texts.map { $0.contains(#""is_login":"1""#) } == [false, true, false])
        #expect(texts.map { $0.contains(#""is_login":"0""#) } == [true, false, true])
        let moment = DeviceMoment(
            device: world.system.encoder.plan.stream(.properties, index: 0), capturedAt: world.time(3),
            zone: .hours(8), isSignedIn: true)
        guard case .number(let level) = moment.value(of: .batteryLevel) else {
            Issue.record("a level is a number")
            return
        }
        #expect(texts.allSatisfy { $0.contains(#""battery_level":"\#(level)""#) }, "\(level) in \(texts)")
    }
}
