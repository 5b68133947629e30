import AppModel
import CodelessSDK
import DeviceSDK
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
            {"name": "Buy", "on": {"control": "Detail.buy-button"}, "timedFrom": {"screen": "Detail"},
             "pause": {"median": "12s", "sigma": 0.6}},
            {"name": "Page", "on": {"screen": "Web"}, "web": true},
            {"name": "Open", "on": "launch"}
          ],
          "profiles": [{"operation": "profile_set_once", "on": "signUp", "properties": {"since": "date"}}],
          "items": [{"type": "book", "id": {"constant": "b1"}, "on": "login", "delete": true}],
          "superProperties": [{"on": "login", "properties": {"vip": {"constant": true}}}],
          "dynamicSuperProperties": {
            "theme": {"choice": ["dark", "light"]}, "battery": {"device": "batteryLevel"}},
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
        #expect(app.dynamicSuperProperties.map(\.key) == ["theme", "battery"])
        #expect(app.dynamicSuperProperties[1].generator == .reading(.batteryLevel))
        #expect(app.events.map(\.pause) == [nil, .lognormal(median: 12, sigma: 0.6), nil, nil])
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
            (#""on": {"screen": "Web"}"#, #""on": {"screen": "Home"}"#, "/apps/kiosk/events/2/on"),
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

    /// The example of the codeless SDK's article, and the rest of what can be said of views.
    static let hall = """
        "apps": {"hall": {
          "module": "Hall", "appDelegate": "HallDelegate", "tabs": ["Products", "Me"],
          "tabBarController": "MainTabs", "navigationController": "", "terminationNotice": 0.25,
          "screens": [
            {"name": "Products", "class": "HYGHallSlideViewController", "viewClass": "UIScrollView",
             "parents": ["UIPageViewController"], "scroll": {"chance": 0.5, "toTop": 0},
             "controls": [
               {"class": "HYGHallProductView", "action": "tapProduct:", "kind": "gesture", "place": 1,
                "row": {"section": 0, "rows": 9}, "tag": -3,
                "within": ["HYGHallProductTableView[1]", "UITableViewWrapperView",
                  "HYGHallProductCell[row]", "UITableViewCellContentView"]},
               {"class": "UISegmentedControl", "action": "sort:", "segments": ["New", "Sale"]},
               {"class": "UIAlertAction", "action": "delete:", "label": "Yes",
                "alert": {"title": "Delete?", "message": "For good.", "style": "actionSheet"}}]},
            {"name": "Me", "web": {"url": "https://example.com", "viewClass": "WKWebView", "failures": 0.1}}
          ]}}
        """

    @Test("what an app says of its views reaches its description")
    func views() throws {
        let app = try document(scenario(AppFormatTests.hall, population: #""app": "hall""#)).populations[0]
            .app
        #expect(app.appDelegate == "Hall.HallDelegate")
        #expect(app.tabs == [0, 1])
        #expect(app.tabBarController == "Hall.MainTabs")
        #expect(app.navigationController == "")
        #expect(app.terminationNotice == 0.25)
        let products = app.screens[0]
        #expect(products.className == "Hall.HYGHallSlideViewController")
        #expect(products.parents == ["UIPageViewController"])
        var habit = Screen.Scroll(chance: 0.5)
        habit.toTop = 0
        #expect(products.scroll == habit)
        #expect(app.screens[1].web?.viewClass == "WKWebView")
        #expect(app.screens[1].web?.failures == 0.1)
        #expect(products.controls[0].tag == -3)
        #expect(products.controls[1].segments == ["New", "Sale"])
        var alert = Control.Alert(title: "Delete?", message: "For good.")
        alert.style = .actionSheet
        #expect(products.controls[2].alert == alert)
        let views = AppViews(app: app)
        let product = ViewReference(screen: 0, node: views.tree(of: 0).controls[0], row: 2)
        #expect(
            views.tree(of: 0).viewPath(to: product.node).text(row: product.row)
                == "HYGHallSlideViewController-UIScrollView-HYGHallProductTableView-UITableViewWrapperView-"
                + "HYGHallProductCell-UITableViewCellContentView-HYGHallProductView & 0-0-1-0-0:2-0-1")
    }

    @Test(
        "what it says of its views must make sense",
        arguments: [
            (#""UITableViewWrapperView""#, #""UITableViewWrapperView[x]""#, "/controls/0/within/1"),
            (#""UITableViewWrapperView""#, #""[1]""#, "/controls/0/within/1"),
            (#""kind": "gesture""#, #""kind": "gestrue""#, "/controls/0/kind"),
            (#"["New", "Sale"]"#, #"["New", 1]"#, "/controls/1/segments/1"),
            (#""class": "UISegmentedControl""#, #""class": "UISlider""#, "/controls/1/segments"),
            (#""chance": 0.5"#, #""chance": 1.5"#, "/scroll/chance"),
            (#""chance": 0.5, "#, "", "/scroll"),
            (#""place": 1"#, #""place": 1000"#, "/controls/0/place"),
        ])
    func viewProblems(good: String, bad: String, pointer: String) {
        let text = AppFormatTests.hall.replacing(good, with: bad)
        #expect(text != AppFormatTests.hall)
        let found = problems(scenario(text, population: #""app": "hall""#))
        #expect(
            found.map(\.pointer) == ["/apps/hall/screens/0" + pointer], "\(found.map { $0.text(file: "") })")
    }

    @Test("a tab that is no screen is told with the nearest")
    func tabs() {
        let text = AppFormatTests.hall.replacing(#"["Products", "Me"]"#, with: #"["Product", "Me"]"#)
        let found = problems(scenario(text, population: #""app": "hall""#))
        #expect(found.map(\.pointer) == ["/apps/hall/tabs/0"])
        #expect(found.first?.nearest == "Products")
    }

    @Test("a name of a preset cannot be defined anew")
    func shadowing() {
        let text = #""apps": {"shop": {"screens": [{"name": "A"}]}}"#
        #expect(problems(scenario(text)).map(\.kind) == [.conflict])
    }
}
