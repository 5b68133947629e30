import AppModel
import DeviceSDK
import SensorsSDK
import Testing

@testable import Scenario

@Suite("An app's calls that say who somebody is")
struct IdentityFormatTests {
    private static let new = #""app": "kiosk", "version": "4.9.1""#

    private func text(_ identities: String, population: String = IdentityFormatTests.new) -> String {
        scenario(
            """
            "apps": {"kiosk": {"screens": [{"name": "Home", "controls": [{"action": "buy:"}]}],
              "identities": [\(identities)]}}
            """, population: population)
    }

    @Test("each call reaches the app's description")
    func whole() throws {
        let app = try document(
            text(
                """
                {"operation": "identify", "on": "launch", "chance": 0.5},
                {"operation": "identify", "on": "logout", "id": "perDevice"},
                {"operation": "resetAnonymousId", "on": {"screen": "Home"}},
                {"operation": "bind", "on": "login", "key": "$identity_mobile",
                 "value": {"zipf": {"count": 9, "prefix": "m"}}},
                {"operation": "unbind", "on": {"control": "Home.buy:"}, "key": "$identity_mobile"}
                """)
        ).populations[0].app
        #expect(
            app.identities.map(\.trigger) == [
                .launch, .logout, .screen(0), .login, .control(screen: 0, control: 0),
            ])
        #expect(app.identities.map(\.chance) == [0.5, 1, 1, 1, 1])
        #expect(app.identities[0].operation == .identify(.perCall))
        #expect(app.identities[1].operation == .identify(.perDevice))
        #expect(app.identities[2].operation == .resetAnonymousID)
        #expect(app.identities[4].operation == .unbind(key: "$identity_mobile"))
        #expect(app.bindings.map(\.key) == ["$identity_mobile"])
    }

    @Test(
        "what no SDK would take is told at its place",
        arguments: [
            (#"{"operation": "bind", "on": "login", "key": "k"}"#, Problem.Kind.missingKey, "/operation"),
            (#"{"operation": "unbind", "on": "login"}"#, .missingKey, "/operation"),
            (#"{"operation": "unbind", "on": "login", "key": "k"}"#, .unknownName, "/key"),
            (#"{"operation": "identify", "on": "login", "key": "k"}"#, .conflict, "/key"),
            (
                #"{"operation": "bind", "on": "login", "id": "perCall", "key": "k", "value": {"constant": 1}}"#,
                .conflict, "/id"
            ),
            (
                #"{"operation": "bind", "on": "login", "key": "$identity_login_id", "value": {"constant": 1}}"#,
                .outOfRange, "/key"
            ),
            (
                #"{"operation": "bind", "on": "login", "key": "user_id", "value": {"constant": 1}}"#,
                .outOfRange, "/key"
            ),
            (
                #"{"operation": "bind", "on": "login", "key": "k", "value": {"constant": ""}}"#, .outOfRange,
                "/value"
            ),
            (
                #"{"operation": "bind", "on": "login", "key": "k", "value": {"choice": ["a", null]}}"#,
                .outOfRange, "/value"
            ),
            (#"{"operation": "bind", "on": "login", "key": "k", "value": "date"}"#, .outOfRange, "/value"),
            (#"{"operation": "identify", "on": "lunch"}"#, .unknownName, "/on"),
            (#"{"operation": "identity", "on": "login"}"#, .unknownName, "/operation"),
        ])
    func wrong(call: String, kind: Problem.Kind, place: String) {
        let found = problems(text(call))
        #expect(found.map(\.pointer) == ["/apps/kiosk/identities/0" + place])
        #expect(found.map(\.kind) == [kind], "\(found.map { $0.text(file: "") })")
    }

    @Test(
        "of a bind that is wrong itself, nobody is told that it is not there",
        arguments: [
            #"{"operation": "bind", "on": "login", "value": {"constant": 1}}"#,
            #"{"operation": "bnid", "on": "login", "key": "k", "value": {"constant": 1}}"#,
        ])
    func wrongBind(bind: String) {
        let found = problems(text(bind + #", {"operation": "unbind", "on": "logout", "key": "k"}"#))
        #expect(found.map(\.pointer) == ["/apps/kiosk/identities/0/operation"])
    }

    @Test("1.x has neither bind nor unbind", arguments: ["1.10.17", "document"])
    func early(version: String) throws {
        let population = #""app": "kiosk", "version": "\#(version)""#
        let bind = #"{"operation": "bind", "on": "login", "key": "k", "value": {"constant": 1}}"#
        let found = problems(text(bind, population: population))
        #expect(found.map(\.pointer) == ["/populations/0/app"])
        #expect(found.first?.kind == .conflict)
        let identify = #"{"operation": "identify", "on": "login"}"#
        _ = try document(text(identify, population: population))
    }
}

@Suite("What apps add to preset events, and instant events")
struct SensorsKnobTests {
    private func text(_ screen: String, _ more: String = "") -> String {
        scenario(
            """
            "apps": {"kiosk": {"screens": [{"name": "Home", \(screen)}]\(more)}}
            """, population: #""app": "kiosk", "version": "4.9.1""#)
    }

    @Test("they reach the app's description")
    func remarks() throws {
        let screen = #"""
            "properties": {"area": {"constant": "front"}},
            "controls": [{"action": "buy:", "properties": {"n": {"zipf": {"count": 3}}}}]
            """#
        let app = try document(text(screen)).populations[0].app
        #expect(app.screens[0].properties == [PropertyRule("area", .constant(.string("front")))])
        #expect(app.screens[0].controls[0].properties.map(\.key) == ["n"])
    }

    @Test(
        "names and values that a version would refuse, and names that stand elsewhere, are told",
        arguments: [
            (#""properties": {"$title": {"constant": 1}}"#, "", "/screens/0/properties/$title"),
            (#""properties": {"user id": {"constant": 1}}"#, "", "/screens/0/properties/user id"),
            (#""properties": {"area": {"constant": null}}"#, "", "/screens/0/properties/area"),
            (#""properties": {"area": "date"}"#, "", "/screens/0/properties/area"),
            (#""properties": {"bs_id": {"constant": 1}}"#, "", "/screens/0/properties/bs_id"),
            (
                #""properties": {"Area": {"constant": 1}}"#,
                #", "superProperties": [{"on": "launch", "properties": {"area": {"constant": 1}}}]"#,
                "/screens/0/properties/Area"
            ),
            (
                #""properties": {"n": {"constant": 1}}, "controls": [{"action": "a", "properties": {"N": {"constant": 1}}}]"#,
                "", "/screens/0/controls/0/properties/N"
            ),
        ])
    func wrong(screen: String, more: String, pointer: String) {
        #expect(problems(text(screen, more)).map(\.pointer) == ["/apps/kiosk" + pointer])
    }

    @Test("only 4.9.1 has instant events", arguments: ["1.10.17", "document"])
    func instant(version: String) throws {
        let sdk = #""sdk": {"upload": {"instant": ["Buy"]}}"#
        let found = problems(scenario(population: #""version": "\#(version)", \#(sdk)"#))
        #expect(found.map(\.pointer) == ["/populations/0/sdk/upload/instant"])
        let document = try document(scenario(population: #""version": "4.9.1", \#(sdk)"#))
        #expect(document.rules().upload.instant == ["Buy"])
    }
}
