import TestSupport
import Testing

@testable import AppModel

@Suite("Problems of an app's views")
struct ViewProblemTests {
    private func paths(_ change: (inout AppDescription) -> Void) -> [String] {
        var app = Presets.shop
        change(&app)
        return app.problems().map(\.path)
    }

    @Test("are found, each at its place")
    func classIndices() {
        #expect(paths { _ in } == [])
        #expect(paths { $0.terminationNotice = 1.5 } == ["/terminationNotice"])
        #expect(paths { $0.tabs = [0, 1, 4, 7, 99] } == ["/tabs/4"])
        #expect(paths { $0.tabs = [0, 1, 4, 7, 0] } == ["/tabs/4"])
        #expect(paths { $0.tabBarController = "" } == ["/tabBarController"])
        #expect(paths { $0.screens[2].viewClass = "" } == ["/screens/2/viewClass"])
        #expect(paths { $0.screens[0].scroll?.chance = -1 } == ["/screens/0/scroll/chance"])
        #expect(paths { $0.screens[0].scroll?.toTop = 2 } == ["/screens/0/scroll/toTop"])
        #expect(paths { $0.screens[10].web?.failures = 2 } == ["/screens/10/web/failures"])
        #expect(paths { $0.screens[3].controls[0].segments = ["a"] } == ["/screens/3/controls/0/segments"])
        #expect(
            paths { $0.screens[3].controls[0].alert = .init(title: "", message: "") } == [],
            "a button of an alert is one whatever its class is")
        #expect(
            paths {
                $0.screens[3].controls[0].alert = .init(title: "", message: "")
                $0.screens[3].controls[0].kind = .button
            } == ["/screens/3/controls/0/alert"])
        #expect(paths { $0.screens[3].controls[0].classIndex = 1000 } == ["/screens/3/controls/0/place"])
    }

    @Test("of the views around a control")
    func ancestors() {
        func within(_ ancestors: [Control.Ancestor]) -> [String] {
            paths { $0.screens[3].controls[0].within = ancestors }
        }
        #expect(within([.view("A"), .view("")]) == ["/screens/3/controls/0/within/1"])
        #expect(within([.view("A", 1000)]) == ["/screens/3/controls/0/within/0"])
        #expect(within([.cell("A"), .cell("B")]) == ["/screens/3/controls/0/within"])
    }

    @Test("two controls in one place, a tab that leads to none")
    func conflicts() {
        func classIndices(_ classIndices: UInt16?...) -> [String] {
            let buttons = classIndices.map { classIndex in
                Control("UIButton").with { $0.classIndex = classIndex }
            }
            return app(screen("V", buttons)).problems().map(\.path)
        }
        #expect(classIndices(1, 0) == [])
        #expect(classIndices(1, nil) == [])
        #expect(classIndices(0, 0) == ["/screens/0/controls/1/place"])
        #expect(classIndices(nil, 0) == ["/screens/0/controls/1/place"])
        var tabs = app(screen("A", [Control("UITabBarButton").with { $0.opens = 1 }]), screen("B"))
        tabs.tabs = [0]
        #expect(tabs.problems().map(\.path) == ["/screens/0/controls/0/opens"])
    }

    @Test("more tabs, or views, than there are numbers for")
    func limits() {
        var many = AppDescription(name: "many")
        many.screens = (0..<20).map { screen("V\($0)") }
        many.tabs = (0..<17).map { UInt16($0) }
        #expect(many.problems().map(\.path) == ["/tabs"])
        var crowded = app(screen("V"))
        crowded.screens[0].controls = (0..<100).map { _ in Control("UIButton").with { $0.classIndex = 999 } }
        #expect(crowded.problems().map(\.path) == ["/screens/0/controls"])
    }

    @Test("Swift's module stands before the app's own classes, and only before them")
    func module() {
        var described = app(
            screen(
                "HomeViewController", [Control("BuyButton", on: "HomeViewController"), Control("UIButton")]))
        described.screens[0].parents = ["UIPageViewController", "Pager"]
        described.screens[0].controls[0].within = [.view("UIScrollView"), .view("CardView")]
        described.screens[0].web = .init(url: "https://example.com")
        let swift = described.ofSwift(module: "Shop")
        let home = swift.screens[0]
        #expect(swift.appDelegate == "Shop.AppDelegate")
        #expect(swift.navigationController == "UINavigationController")
        #expect(home.className == "Shop.HomeViewController")
        #expect(home.parents == ["UIPageViewController", "Shop.Pager"])
        #expect(home.web?.viewClass == "UIWebView")
        #expect(home.viewClass == "UIView")
        #expect(home.controls.map(\.className) == ["Shop.BuyButton", "UIButton"])
        #expect(home.controls[0].target == "Shop.HomeViewController")
        #expect(home.controls[0].within.map(\.className) == ["UIScrollView", "Shop.CardView"])
        #expect(home.controls.map(\.resolvedKind) == [.button, .button])
        #expect(swift.ofSwift(module: "Other") == swift)
    }
}
