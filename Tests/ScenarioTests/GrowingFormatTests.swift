import DeviceSDK
import GrowingSDK
import Testing
import Timebase
import Wire

@testable import Scenario

@Suite("The knobs of GrowingIO")
struct GrowingFormatTests {
    /// Decodes and checks `sdk` of a version.
    private func read(
        _ version: GrowingRules.Version, _ sdk: String
    ) throws -> (rules: GrowingRules, problems: [Problem], warnings: [ScenarioWarning]) {
        var reading = Reading()
        var rules = GrowingRules(version: version)
        let place = Place(node: try JSONReader.read(Array(sdk.utf8)).0, path: JSONPath([]))
        GrowingFormat.description.decode(place, into: &rules, &reading)
        GrowingFormat.check(rules, place, &reading)
        return (rules, reading.problems, reading.warnings)
    }

    @Test("the published text's example 3.2, and a shell of one's own")
    func example() throws {
        let (rules, problems, warnings) = try read(
            .document,
            """
            {
              "shell": "tracker", "modules": {"add": ["hybrid"], "remove": ["mobileDebugger"]},
              "buildFlags": ["DISABLE_IDFA", "ENABLE_ENCRYPTION"],
              "channels": [
                {"eventTypes": ["vst"], "urlTemplate": "v3/%@/ios/pv?stm=%llu", "isCustomEvent": false},
                {"eventTypes": ["reengage", "activate"], "urlTemplate": "app/%@/ios/ctvt"}
              ],
              "events": [
                {"name": "vst", "base": "visit", "when": "visit"},
                {"name": "activate", "when": "firstLaunch", "extra": {"rngg_mch": "url_scheme"}},
                {"name": "reengage", "when": "foreground", "chance": 0.1, "policy": "instant"}
              ],
              "interceptors": [
                {"on": "eventWillBuild", "eventTypes": ["CUSTOM"], "set": {"attributes.env": "test"}, "remove": ["language"]},
                {"on": "eventDidBuild", "eventNames": ["Secret"], "drop": true}
              ]
            }
            """)
        #expect(problems.isEmpty && warnings.isEmpty)
        #expect(rules.activeModules == [.hybrid])
        // "禁用数据加密，使用明文".
        #expect(rules.compression == .none && rules.encryption == .none)
        #expect(rules.channels.map(rules.dialect) == [.v2, .v2])
        #expect(rules.channels.map(rules.path) == rules.channels.map(\.template))
        #expect(rules.channels.map(\.template) == ["v3/%@/ios/pv?stm=%llu", "app/%@/ios/ctvt"])
        #expect(rules.events.map(\.moment) == [.visit, .firstLaunch, .foreground])
        #expect(rules.events[1].extra == [.init("rngg_mch", "url_scheme")])
        #expect(rules.interceptors[0].sets == [.init("attributes.env", "test")])
        #expect(rules.interceptors[1].dropsEvent)
    }

    @Test("3.2.1 logs a channel's template and does not send there, unless a module makes the requests")
    func unusedTemplates() throws {
        let (rules, problems, warnings) = try read(
            .v3,
            """
            {"channels": [
              {"eventTypes": ["vst"], "urlTemplate": "v3/%@/ios/pv?stm=%llu"},
              {"eventTypes": ["activate"], "urlTemplate": "app/%@/ios/ctvt", "dialect": "v2"},
              {"eventTypes": ["own"], "urlTemplate": "v3/projects/%@/collect?stm=%llu"}
            ]}
            """)
        #expect(problems.isEmpty)
        #expect(warnings.map(\.pointer) == ["/channels/0/urlTemplate"])
        #expect(rules.channels.map(rules.dialect) == [.v3, .v2, .v3])
        #expect(
            rules.channels.map(rules.path) == [
                "v3/projects/%@/collect", "app/%@/ios/ctvt", "v3/projects/%@/collect",
            ])
    }

    @Test(
        "the text codes bodies unless it was built with ENABLE_ENCRYPTION, 3.2.1 only then; 4.11.0 has no such flag"
    )
    func codes() throws {
        for version in GrowingRules.Version.allCases {
            #expect(try read(version, "{}").rules.compression == (version == .document ? .lz4 : .none))
            let built = try read(version, #"{"buildFlags": ["ENABLE_ENCRYPTION"]}"#).rules
            #expect(built.encryption == (version == .v3 ? .xor : .none))
            let named = try read(version, #"{"services": {"compression": "none", "encryption": "xor"}}"#)
                .rules
            #expect(named.compression == .none && named.encryption == .xor)
        }
    }

    @Test("stores, uploads and services")
    func knobs() throws {
        let (rules, problems, _) = try read(
            .v4,
            """
            {
              "services": {"compression": "snappy", "encryption": "aes", "aesKey": "0123456789abcdef"},
              "excludeEvents": ["PAGE"], "ignoreFields": ["deviceModel"], "sessionInterval": "1m",
              "autotrack": {"pages": {"HomeViewController": "home"}},
              "storage": {"writeBuffer": 5, "ttl": "3d", "prefill": 7},
              "upload": {"batch": 100, "maxBytes": "none", "flushInterval": "30s", "cellularLimit": 1000,
                         "policies": {"CUSTOM": "wifi"}, "keepStatuses": [404, "5xx"]}
            }
            """)
        #expect(problems.isEmpty)
        #expect(rules.compression == .snappy && rules.encryption == .aes)
        #expect(rules.services.aesKey == Array("0123456789abcdef".utf8))
        #expect(rules.autotrack.pages == .listed(["HomeViewController": "home"]))
        #expect(
            rules.storage.writeBuffer == 5 && rules.storage.ttl == .hours(72) && rules.storage.prefill == 7)
        #expect(rules.upload.maxBytes == nil && rules.upload.cellularLimit == 1000)
        #expect(rules.upload.policies == ["CUSTOM": .wifi])
        #expect(rules.upload.keeps == .serverErrors(and: [404]))
    }

    @Test("rows may stay for ever, which no version knows", arguments: [GrowingRules.Version.v3, .v4])
    func noAge(version: GrowingRules.Version) throws {
        let (rules, problems, warnings) = try read(version, #"{"storage": {"ttl": "none"}}"#)
        #expect(problems.isEmpty && rules.storage.ttl == nil)
        #expect(warnings.map(\.pointer) == ["/storage/ttl"])
    }

    @Test(
        "what cannot be is refused at its place",
        arguments: [
            ("4.11.0", #"{"channels": [{"eventTypes": ["a"], "urlTemplate": "b"}]}"#, "/channels"),
            ("4.11.0", #"{"events": [{"name": "a", "when": "launch"}]}"#, "/events"),
            ("4.11.0", #"{"buildFlags": ["DISABLE_IDFA", "ENABLE_ENCRYPTION"]}"#, "/buildFlags"),
            (
                "4.11.0", #"{"interceptors": [{"on": "requestWithChannel", "toTemplate": "a"}]}"#,
                "/interceptors/0/on"
            ),
            (
                "3.2.1", #"{"interceptors": [{"on": "eventTriggered", "set": {"title": "a"}}]}"#,
                "/interceptors/0/set"
            ),
            (
                "3.2.1", #"{"interceptors": [{"on": "eventDidBuild", "set": {"deviceId": "a"}}]}"#,
                "/interceptors/0/set/deviceId"
            ),
            (
                "3.2.1", #"{"interceptors": [{"on": "eventDidBuild", "remove": ["titel"]}]}"#,
                "/interceptors/0/remove/0"
            ),
            ("3.2.1", #"{"excludeEvents": ["ACTIVATE"]}"#, "/excludeEvents"),
            ("3.2.1", #"{"upload": {"policies": {"CUSTOMS": "wifi"}}}"#, "/upload/policies"),
            ("3.2.1", #"{"events": [{"name": "PAGE", "when": "launch"}]}"#, "/events/0/name"),
            (
                "3.2.1", #"{"channels": [{"eventTypes": ["a"], "urlTemplate": "https://a.example/b"}]}"#,
                "/channels/0/urlTemplate"
            ),
            (
                "3.2.1",
                #"{"useProtobuf": true, "events": [{"name": "a", "when": "launch"}], "channels": [{"eventTypes": ["a"], "urlTemplate": "x"}, {"eventTypes": ["a"], "urlTemplate": "x", "dialect": "v2"}]}"#,
                "/channels/1"
            ),
            // The store of custom events is the SDK's own channel's too.
            (
                "3.2.1",
                #"{"useProtobuf": true, "events": [{"name": "a", "when": "launch"}], "channels": [{"eventTypes": ["a"], "urlTemplate": "x", "dialect": "v2", "isCustomEvent": true}]}"#,
                "/channels/0"
            ),
            (
                "3.2.1",
                #"{"events": [{"name": "a", "when": "launch", "extra": {"b": "c", "timestamp": "d"}}]}"#,
                "/events/0/extra/timestamp"
            ),
            (
                "3.2.1", #"{"events": [{"name": "a", "when": "launch", "extra": {"attributes": "b"}}]}"#,
                "/events/0/extra/attributes"
            ),
            (
                "3.2.1",
                #"{"events": [{"name": "a", "when": "launch", "extra": {"tm": "b"}}], "channels": [{"eventTypes": ["a"], "urlTemplate": "x", "dialect": "v2"}]}"#,
                "/events/0/extra/tm"
            ),
            ("3.2.1", #"{"accountId": "a b"}"#, "/accountId"),
            ("3.2.1", #"{"services": {"aesKey": "short"}}"#, "/services/aesKey"),
            ("3.2.1", #"{"upload": {"onLaunch": true}}"#, "/upload/onLaunch"),
            ("3.2.1", #"{"buildFlags": ["ENABLE_ENCRYPTIONS"]}"#, "/buildFlags/0"),
        ])
    func refused(version: String, sdk: String, pointer: String) throws {
        let found = try read(try #require(GrowingRules.Version(rawValue: version)), sdk).problems
        #expect(found.map(\.pointer) == [pointer])
    }

    @Test(
        "an own type in channels of both dialects is refused only where a message would carry its short names",
        arguments: [
            #"{"useProtobuf": false, "events": [{"name": "a", "when": "launch"}], "channels": [{"eventTypes": ["a"], "urlTemplate": "x"}, {"eventTypes": ["a"], "urlTemplate": "x", "dialect": "v2"}]}"#,
            #"{"useProtobuf": true, "events": [{"name": "a", "when": "launch"}], "channels": [{"eventTypes": ["a"], "urlTemplate": "x", "dialect": "v2"}]}"#,
            #"{"events": [{"name": "a", "when": "launch", "extra": {"tm": "b"}}]}"#,
            #"{"useProtobuf": true, "channels": [{"eventTypes": ["PAGE"], "urlTemplate": "x", "dialect": "v2"}]}"#,
        ])
    func dialects(sdk: String) throws {
        #expect(try read(.v3, sdk).problems.isEmpty)
    }

    @Test("a list of pages is 4.x's alone", arguments: GrowingRules.Version.allCases)
    func lists(version: GrowingRules.Version) throws {
        let (_, problems, warnings) = try read(
            version, #"{"autotrack": {"pages": {"HomeViewController": "home"}}}"#)
        #expect(problems.isEmpty)
        #expect(warnings.map(\.pointer) == (version == .v4 ? [] : ["/autotrack/pages"]))
        #expect(try read(version, #"{"autotrack": {"pages": "all"}}"#).warnings.isEmpty)
    }

    @Test("a page of a view controller that the app does not have is never seen")
    func unseenPages() throws {
        let text = """
            {
              "duration": "1m",
              "apps": {"a": {"screens": [{"name": "Home", "parents": ["FrameController"]}]}},
              "populations": [
                {"name": "p", "devices": 1, "system": "growing", "version": "4.11.0", "app": "a",
                 "sdk": {"autotrack": {"pages": {"HomeViewController": "a", "UINavigationController": "b",
                   "FrameController": "c", "HomeViewControler": "d", "UITabBarController": "e"}}}}
              ]
            }
            """
        let warnings = try document(text).warnings.filter { $0.pointer.hasPrefix("/populations/0/sdk") }
        let place = "/populations/0/sdk/autotrack/pages"
        #expect(warnings.map(\.pointer) == ["\(place)/HomeViewControler", "\(place)/UITabBarController"])
        #expect(warnings.first?.text.contains(#"did you mean "HomeViewController"?"#) == true)
    }

    @Test("warnings where the SDK would do otherwise")
    func warnings() throws {
        let (_, problems, warnings) = try read(
            .v4,
            #"{"upload": {"flushInterval": "1s", "batch": 10}, "storage": {"ttl": "60d"}, "modules": {"add": ["webCircle"]}, "debugEnabled": true}"#
        )
        #expect(problems.isEmpty)
        #expect(
            Set(warnings.map(\.pointer)) == [
                "/upload/flushInterval", "/upload/batch", "/storage/ttl", "/modules/add", "/debugEnabled",
            ])
    }
}
