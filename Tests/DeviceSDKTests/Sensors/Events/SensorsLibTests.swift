import Foundation
import Testing

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors events: the library and the place in the code")
struct SensorsLibTests {
    @Test(
        "1.x tells where the SDK's own events come from, 4.x does not",
        arguments: [
            (SensorsTemplates.appStart, [], "SensorsAnalyticsSDK##enableAutoTrack:####"),
            (SensorsTemplates.appStart, .resumed, "SensorsAnalyticsSDK##applicationDidBecomeActive:####"),
            (SensorsTemplates.appStartPassively, [], "SensorsAnalyticsSDK##enableAutoTrack:####"),
            (SensorsTemplates.appEnd, [], "SensorsAnalyticsSDK##applicationDidEnterBackground:####"),
            (
                SensorsTemplates.appEnd, .crashed,
                "SensorsAnalyticsExceptionHandler##sa_handleUncaughtException:####"
            ),
            (
                SensorsTemplates.disableSDK, [],
                "SensorsAnalyticsSDK##requestFunctionalManagermentConfigDelay:index:####"
            ),
        ] as [(UInt16, SensorsEventFlags, String)])
    func callSites(template: UInt16, flags: SensorsEventFlags, site: String) throws {
        for version in SensorsRules.Version.allCases {
            let fixture = SensorsEventFixture(version)
            let event = try fixture.event(fixture.record(template, flags: flags))
            let lib = try #require(event["lib"] as? [String: String])
            #expect(lib["$lib_detail"] == (version == .v4 ? nil : site))
        }
    }

    @Test(
        "a super property's version stands in lib: in 1.x not in that of profile changes",
        arguments: SensorsRules.Version.allCases)
    func versionInLib(version: SensorsRules.Version) throws {
        let fixture = SensorsEventFixture(version)
        var epoch = SensorsEpoch()
        epoch.superGroups = 0b10
        for (template, expected) in [
            (SensorsTemplates.appEnd, "9.9.9"), (fixture.templates.business(1), "9.9.9"),
            (fixture.templates.profile(0), version == .v4 ? "9.9.9" : "1.3.0"),
        ] {
            let event = try fixture.event(fixture.record(template, screen: 2), epoch: epoch)
            let lib = try #require(event["lib"] as? [String: Any])
            #expect(lib["$app_version"] as? String == expected, "\(event["type"] ?? "")")
        }
        epoch.superGroups = 0
        let plain = try fixture.event(fixture.record(fixture.templates.profile(0)), epoch: epoch)
        #expect((plain["lib"] as? [String: Any])?["$app_version"] as? String == "1.3.0")
    }
}
