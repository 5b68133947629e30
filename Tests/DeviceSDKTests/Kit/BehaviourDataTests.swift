import AppModel
import TestSupport
import Testing

@testable import DeviceSDK
@testable import KitSDK

@Suite("What Kit reads from views")
struct BehaviourDataTests {
    /// The two rows that its README and the documentation of its format show.
    @Test(
        "Kit's behaviour data: the examples that were published",
        arguments: [
            (
                "ViewController", "buttonAction:", Control.Frame(x: 0, y: 100, width: 100, height: 100),
                "commitButton",
                "UIButton|ViewController|buttonAction:|0|{{0, 100}, {100, 100}}|commitButton"
            ),
            (
                "HomeViewController", "buy:", Control.Frame(x: 10, y: 20, width: 80, height: 30), "购买",
                "UIButton|HomeViewController|buy:|0|{{10, 20}, {80, 30}}|购买"
            ),
        ])
    func kitButton(target: String, action: String, frame: Control.Frame, title: String, expected: String) {
        let button = Control("UIButton", action, on: target, label: title).with { $0.frame = frame }
        let views = AppViews(app: ViewFixture.app(ViewFixture.screen(target, [button])))
        #expect(views.behaviourData(ViewFixture.reference(views, 0)) == expected)
    }

    @Test("Kit's behaviour data: a button of a navigation bar, as it is before iOS 11")
    func kitBarButton() throws {
        var bar = Control("UIBarButtonItem", "share:", on: "HomeViewController", label: "Share")
        bar.tag = 4
        bar.frame = Control.Frame(x: 327, y: 48, width: 36, height: 36)
        var app = AppDescription.plainForTests
        app.navigationController = "UINavigationController"
        app.screens[0].controls = [bar]
        let views = AppViews(app: app)
        #expect(
            views.behaviourData(ViewFixture.reference(views, 0))
                == "UINavigationButton|UIBarButtonItem|_sendAction:withEvent:|4|{{327, 48}, {36, 36}}|Share")
        let world = KitWorld(app: app)
        world.visit(10)
        world.act(12, .tap(screen: 0, control: 0))
        world.act(20, .kill)
        world.act(KitWorld.day, .launch(passive: false))
        let lines = try KitWorld.logs(try #require(world.uploads.first)).first?.lines ?? []
        let row = try #require(lines.first(where: { $0.contains("UINavigationButton") }))
        #expect(row.hasPrefix("100,1767571212,UINavigationButton|") && row.hasSuffix(",UIButton点击事件"))
        #expect(!lines.contains { $0.contains("UIButtonBar") })
    }

    @Test("Kit's behaviour data: what controls are set to")
    func kitValues() {
        let controls = [
            Control("UISegmentedControl").with { $0.segments = ["推荐", ""] }, Control("UISlider"),
            Control("UISwitch").with { $0.tag = 7 }, Control("UIStepper"),
            Control("UIPageControl", label: "x"),
        ]
        let views = AppViews(app: ViewFixture.app(ViewFixture.screen("A", controls)))
        func info(_ control: UInt16, _ value: UInt16) -> String {
            var view = ViewFixture.reference(views, control)
            view.value = value
            return views.behaviourInfo(view)
        }
        #expect(info(0, 0) == "推荐")
        // A segment without a title is told by its index.
        #expect(info(0, 1) == "1")
        #expect([info(1, 0), info(1, 42), info(1, 1000)] == ["0.000000", "0.042000", "1.000000"])
        #expect([info(2, 0), info(2, 1)] == ["isOff", "isOn"])
        #expect(info(3, 12) == "12.000000")
        #expect(info(4, 0) == "")
        #expect(
            views.behaviourData(ViewFixture.reference(views, 2))
                == "UISwitch|ViewController|act:|7|{{0, 0}, {0, 0}}|isOff")
    }
}
