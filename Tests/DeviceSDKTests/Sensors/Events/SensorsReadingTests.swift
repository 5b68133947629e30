import AppModel
import Foundation
import Testing
import Timebase

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors events: what the app reads off the device")
struct SensorsReadingTests {
    private static let app: AppDescription = {
        var app = AppDescription.small
        app.dynamicSuperProperties = [
            PropertyRule("is_login", .reading(.isSignedIn)),
            PropertyRule("battery_level", .reading(.batteryLevel)),
            PropertyRule("is_dark_mode", .reading(.isDarkMode)),
        ]
        return app
    }()

    @Test("is that of the event's moment and of its epoch", arguments: SensorsRules.Version.allCases)
    func moment(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version, app: Self.app)
        let record = fixture.record(fixture.templates.business(0), detail: 17)
        var levels = Set<Int>()
        for account in [nil, 3] as [UInt32?] {
            var epoch = SensorsEpoch()
            epoch.account = account
            for index in 0..<10 {
                let properties = try fixture.properties(record, epoch: epoch, index: index)
                let moment = DeviceMoment(
                    device: fixture.plan.stream(.properties, index: index),
                    capturedAt: SensorsEventFixture.capture, zone: fixture.plan.utcOffset,
                    isSignedIn: account != nil)
                #expect(properties["is_login"] as? Bool == (account != nil))
                let level = try #require(properties["battery_level"] as? Int)
                #expect(moment.value(of: .batteryLevel) == .number(UInt64(level)))
                let isDark = try #require(properties["is_dark_mode"] as? Bool)
                #expect(moment.value(of: .isDarkMode) == .flag(isDark))
                levels.insert(level)
            }
        }
        #expect(levels.count > 3)
    }

    @Test("a sign-up is the first event of somebody signed in", arguments: SensorsRules.Version.allCases)
    func signUp(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version, app: Self.app)
        let properties = try fixture.properties(fixture.record(SensorsTemplates.signUp, detail: 1))
        #expect(properties["is_login"] as? Bool == true)
        let start = try fixture.properties(fixture.record(SensorsTemplates.appStart))
        #expect(start["is_login"] as? Bool == false)
    }
}
