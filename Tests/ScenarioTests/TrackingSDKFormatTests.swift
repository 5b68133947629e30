import CodelessSDK
import DeviceSDK
import Testing
import Timebase
import TrackingSDK
import Wire

@testable import Scenario

@Suite("The knobs of TrackingSDK and of the codeless SDK")
struct TrackingSDKFormatTests {
    private func read<Rules>(
        _ description: ObjectDescription<Rules>, _ rules: Rules, _ sdk: String,
        check: (Rules, Place, inout Reading) -> Void = { _, _, _ in }
    ) throws -> (rules: Rules, problems: [Problem], warnings: [ScenarioWarning]) {
        var reading = Reading()
        var rules = rules
        let place = Place(node: try JSONReader.read(Array(sdk.utf8)).0, path: JSONPath([]))
        description.decode(place, into: &rules, &reading)
        check(rules, place, &reading)
        return (rules, reading.problems, reading.warnings)
    }

    private func tracking(
        _ sdk: String
    ) throws -> (rules: TrackingSDKRules, problems: [Problem], warnings: [ScenarioWarning]) {
        try read(TrackingSDKFormat.description, TrackingSDKRules(version: .document), sdk)
    }

    private func codeless(
        _ sdk: String
    ) throws -> (rules: CodelessRules, problems: [Problem], warnings: [ScenarioWarning]) {
        try read(
            CodelessFormat.description, CodelessRules(version: .document), sdk,
            check: CodelessFormat.check)
    }

    @Test("TrackingSDK: every knob reaches its rule; none is needed")
    func trackingKnobs() throws {
        #expect(try tracking("{}").rules == TrackingSDKRules(version: .document))
        let (rules, problems, warnings) = try tracking(
            """
            {"clear": "sent-only", "clockSkew": "3s", "storage": {"prefill": 7},
             "upload": {"success": "2xx", "timeout": "9s", "sockets": 2},
             "autoTrack": {"pageView": false, "buttonClick": false, "withoutEvent": true}}
            """)
        #expect(problems.isEmpty && warnings.isEmpty)
        var expected = TrackingSDKRules(version: .document)
        expected.clear = .sentOnly
        expected.clockSkew = .seconds(3)
        expected.storage.prefill = 7
        expected.upload.success = .any2xx
        expected.upload.timeout = .seconds(9)
        expected.upload.sockets = 2
        expected.autoTrack.pageView = false
        expected.autoTrack.buttonClick = false
        expected.autoTrack.withoutEvent = true
        #expect(rules == expected)
    }

    @Test("the codeless SDK: every knob reaches its rule; none is needed")
    func codelessKnobs() throws {
        #expect(try codeless("{}").rules == CodelessRules(version: .document))
        let (rules, problems, warnings) = try codeless(
            """
            {"retryFailedParts": true, "persistEventsID": true, "sessionTimeout": "4s", "clockSkew": "3s",
             "storage": {"prefill": 7}, "remoteConfig": {"enabled": false, "timeout": "5s"},
             "upload": {"batch": 20, "flushBulkSize": 12, "flushInterval": "2s", "concurrency": 3, "timeout": "8s",
                        "onLaunch": false, "onForeground": false, "onBackground": false},
             "autoTrack": {"pages": false, "clicks": false, "scrolls": false, "webViews": false}}
            """)
        #expect(problems.isEmpty && warnings.isEmpty)
        var expected = CodelessRules(version: .document)
        expected.retryFailedParts = true
        expected.persistEventsID = true
        expected.sessionTimeout = .seconds(4)
        expected.clockSkew = .seconds(3)
        expected.storage.prefill = 7
        expected.remoteConfig.enabled = false
        expected.remoteConfig.timeout = .seconds(5)
        expected.upload.batch = 20
        expected.upload.flushBulkSize = 12
        expected.upload.flushInterval = .seconds(2)
        expected.upload.concurrency = 3
        expected.upload.timeout = .seconds(8)
        expected.upload.onLaunch = false
        expected.upload.onForeground = false
        expected.upload.onBackground = false
        expected.autoTrack.pages = false
        expected.autoTrack.clicks = false
        expected.autoTrack.scrolls = false
        expected.autoTrack.webViews = false
        #expect(rules == expected)
    }

    @Test(
        "what these SDKs have no rule for is refused with its place",
        arguments: [
            #"{"upload": {"flushInterval": "1s"}}"#, #"{"storage": {"limit": 5}}"#, #"{"clear": "none"}"#,
            #"{"upload": {"sockets": 0}}"#, #"{"upload": {"success": 200}}"#, #"{"debugMode": "off"}"#,
        ])
    func trackingProblems(sdk: String) throws {
        #expect(try tracking(sdk).problems.count == 1)
    }

    @Test(
        "… and of the codeless SDK",
        arguments: [
            #"{"upload": {"networks": ["wi-fi"]}}"#, #"{"upload": {"concurrency": 0}}"#,
            #"{"storage": {"limit": 5}}"#, #"{"remoteConfig": {"attempts": 2}}"#,
            #"{"retryFailedParts": "yes"}"#,
        ])
    func codelessProblems(sdk: String) throws {
        #expect(try codeless(sdk).problems.count == 1)
    }

    @Test("a part smaller than its trigger is warned of")
    func warning() throws {
        let (_, problems, warnings) = try codeless(#"{"upload": {"batch": 4}}"#)
        #expect(problems.isEmpty)
        #expect(warnings.map(\.pointer) == ["/upload/batch"])
    }
}
