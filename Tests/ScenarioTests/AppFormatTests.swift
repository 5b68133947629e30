import AppModel
import Testing
import Timebase

@testable import Scenario

@Suite("Apps of a scenario's own")
struct AppFormatTests {
    static let kiosk = """
        "apps": {"kiosk": {
          "bundleIdentifier": "com.example.kiosk", "versions": ["1.0", "1.1"], "startScreen": "Home",
          "screens": [
            {"name": "Detail", "class": "DetailVC", "title": "Detail", "url": "app://detail",
             "controls": [{"action": "buy:", "label": "Buy", "identifier": "buy-button", "weight": 2,
               "frame": [1, 2, 3, 4], "opens": "Home"},
               {"class": "UITableViewCell", "action": "row", "row": {"section": 1, "rows": 20}}]},
            {"name": "Home", "transitions": {"Detail": 0.55, "Web": 0.1}},
            {"name": "Web", "web": {"url": "https://example.com", "serverProject": "other"}}
          ],
          "catalogues": [{"name": "products", "count": 100, "exponent": 1.1,
            "fields": {"price": {"lognormal": {"median": 20, "sigma": 0.6, "decimals": 1}}}}],
          "events": [
            {"name": "View", "on": {"screen": "Detail"}, "chance": 0.9, "properties": {
              "id": {"entityID": {"catalogue": "products", "prefix": "sku-"}}, "price": {"entity": "products.price"},
              "when": "date", "n": {"counter": {}}, "plan": {"choice": {"free": 3, "paid": 1}},
              "flag": {"choice": [true, 5, null]}, "fix": {"constant": ["a", 1.5]},
              "rank": {"zipf": {"count": 10, "exponent": 1.2, "prefix": "r-"}},
              "tags": {"list": {"of": {"choice": ["x", "y"]}, "min": 1, "max": 3}},
              "wait": {"uniform": {"min": -1, "max": 1}}}},
            {"name": "Buy", "on": {"control": "Detail.buy-button"}, "timedFrom": {"screen": "Detail"}},
            {"name": "Page", "on": {"screen": "Web"}, "web": true},
            {"name": "Open", "on": "launch"}
          ],
          "profiles": [{"operation": "profile_set_once", "on": "signUp", "properties": {"since": "date"}}],
          "items": [{"type": "book", "id": {"constant": "b1"}, "on": "login", "delete": true}],
          "superProperties": [{"on": "login", "properties": {"vip": {"constant": true}}}],
          "dynamicSuperProperties": {"theme": {"choice": ["dark", "light"]}},
          "crashReasons": ["boom"]
        }}
        """

    @Test("every part of an app reaches its description")
    func whole() throws {
        let app = try document(scenario(AppFormatTests.kiosk, population: #""app": "kiosk""#)).populations[0]
            .app
        #expect(app.name == "kiosk")
        #expect(app.displayName == "kiosk")
        #expect(app.startScreen == 1)
        #expect(app.screens.map(\.className) == ["DetailVC", "HomeViewController", "WebViewController"])
        #expect(
            app.screens[1].transitions == [
                .init(screen: 0, probability: 0.55), .init(screen: 2, probability: 0.1),
            ])
        let buy = app.screens[0].controls[0]
        #expect(buy.target == "DetailVC")
        #expect(buy.opens == 1)
        #expect(buy.frame == .init(x: 1, y: 2, width: 3, height: 4))
        #expect(app.screens[0].controls[1].position == .init(section: 1, rows: 20))
        #expect(app.screens[2].web?.serverProject == "other")
        #expect(
            app.events.map(\.trigger) == [.screen(0), .control(screen: 0, control: 0), .screen(2), .launch])
        #expect(app.events[0].catalogue == 0)
        #expect(app.events[1].timedFrom == .screen(0))
        #expect(app.events[2].isWeb)
        #expect(app.profiles[0].operation == .setOnce)
        #expect(app.items[0].isDeletion)
        #expect(app.superProperties[0].trigger == .login)
        #expect(app.dynamicSuperProperties.map(\.key) == ["theme"])
    }

    @Test("properties keep their order and their generators")
    func properties() throws {
        let app = try document(scenario(AppFormatTests.kiosk, population: #""app": "kiosk""#)).populations[0]
            .app
        let rules = app.events[0].properties
        #expect(
            rules.map(\.key) == ["id", "price", "when", "n", "plan", "flag", "fix", "rank", "tags", "wait"])
        #expect(rules[0].generator == .entityID(catalogue: 0, prefix: "sku-"))
        #expect(rules[1].generator == .entity(catalogue: 0, field: 0))
        #expect(rules[2].generator == .date)
        #expect(rules[3].generator == .counter(prefix: nil))
        #expect(
            rules[4].generator
                == .choice([.string("free"), .string("paid")], WeightedChoice(weights: [3, 1])))
        #expect(
            rules[5].generator
                == .choice([.bool(true), .number(5), .null], WeightedChoice(weights: [1, 1, 1])))
        #expect(rules[6].generator == .constant(.list([.string("a"), .number(1.5)])))
        #expect(rules[7].generator == .zipf(.zipf(count: 10, exponent: 1.2), prefix: "r-"))
        let tag = PropertyGenerator.choice([.string("x"), .string("y")], WeightedChoice(weights: [1, 1]))
        #expect(rules[8].generator == .list(tag, minimum: 1, maximum: 3))
        #expect(rules[9].generator == .number(.uniform(-1, 1), decimals: 2))
        #expect(
            app.catalogues[0].fields[0].generator == .number(.lognormal(median: 20, sigma: 0.6), decimals: 1))
    }

    @Test(
        "names that lead nowhere are told with the nearest",
        arguments: [
            (#""startScreen": "Home""#, #""startScreen": "Hom""#, "/apps/kiosk/startScreen", "Home"),
            (#""Detail": 0.55"#, #""Detial": 0.55"#, "/apps/kiosk/screens/1/transitions/Detial", "Detail"),
            (#""opens": "Home""#, #""opens": "Hoem""#, "/apps/kiosk/screens/0/controls/0/opens", "Home"),
            (
                #""products.price""#, #""products.prize""#, "/apps/kiosk/events/0/properties/price/entity",
                "products.price"
            ),
            (#""Detail.buy-button""#, #""Detail.bye:""#, "/apps/kiosk/events/1/on/control", "Detail.buy:"),
            (#""on": "launch""#, #""on": "lunch""#, "/apps/kiosk/events/3/on", "launch"),
        ])
    func references(good: String, bad: String, pointer: String, nearest: String) throws {
        let text = AppFormatTests.kiosk.replacing(good, with: bad)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == [pointer])
        #expect(found.first?.nearest == nearest)
    }

    @Test(
        "what the model itself finds wrong is told at the scenario's place",
        arguments: [
            (#""Web": 0.1"#, #""Web": 0.9"#, "/apps/kiosk/screens/1/transitions"),
            (#""on": {"screen": "Web"}"#, #""on": {"screen": "Home"}"#, "/apps/kiosk/events/2"),
            (
                #"{"of": {"choice": ["x", "y"]}, "min": 1"#, #"{"of": {"choice": ["x", "y"]}, "min": 9"#,
                "/apps/kiosk/events/0/properties/tags"
            ),
            (#"{"free": 3, "paid": 1}"#, #"{"free": 0}"#, "/apps/kiosk/events/0/properties/plan/choice"),
            (#"{"counter": {}}"#, #"{"counter": {}, "constant": 1}"#, "/apps/kiosk/events/0/properties/n"),
        ])
    func model(good: String, bad: String, pointer: String) {
        let text = AppFormatTests.kiosk.replacing(good, with: bad)
        #expect(text != AppFormatTests.kiosk)
        let found = problems(scenario(text, population: #""app": "kiosk""#))
        #expect(found.map(\.pointer) == [pointer], "\(found.map { $0.text(file: "") })")
    }

    @Test("a name of a preset cannot be defined anew")
    func shadowing() {
        let text = #""apps": {"shop": {"screens": [{"name": "A"}]}}"#
        #expect(problems(scenario(text)).map(\.kind) == [.conflict])
    }
}
