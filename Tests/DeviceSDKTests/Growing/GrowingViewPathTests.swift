import AppModel
import TestSupport
import Testing

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("What GrowingIO reads from views: the expectations of its own tests")
struct GrowingViewPathTests {
    private func growing(
        _ control: UInt16, on screen: UInt16, _ format: GrowingViewPath.Form, row: UInt16 = 0
    ) -> (path: GrowingViewPath, xpath: String, xcontent: String) {
        let views = AppViews(app: ViewFixture.growing())
        let view = ViewFixture.reference(views, control, on: screen, row: row)
        let path = views.growingPath(ofNode: view.node, on: screen, format)
        return (path, path.xpath.text(row: row), path.xcontent.text(row: row))
    }

    /// Example/ExampleTests/ProtocolAndApi/ClickEventsTest.m at 3.2.1.
    @Test("GrowingIO 3.x: path and xpath as its tests expect them")
    func growing3() {
        let button = growing(3, on: 2, .joined)
        #expect(button.xpath == "/Page/UIButton[3]")
        #expect(
            button.path.path
                == "/UITabBarController/UINavigationController[1]/GIOLabelAttributeViewController[0]")
        let answer = growing(4, on: 2, .joined)
        #expect(
            answer.xpath
                == "/Page/UIAlertController/UIView[0]/_UIAlertControllerInterfaceActionGroupView[0]/UIView[0]"
                + "/_UIInterfaceActionRepresentationsSequenceView[0]"
                + "/_UIInterfaceActionSeparatableSequenceView[0]/UIStackView[0]"
                + "/_UIInterfaceActionCustomViewRepresentationView[1]/Button[0]")
        #expect(answer.path.path == button.path.path)
        #expect(growing(0, on: 3, .joined).xpath == "/Page/UIView[0]/UIButton[0]")
        #expect(growing(1, on: 3, .joined).xpath == "/Page/UIView[0]/UIButton[1]")
    }

    /// Example/GrowingAnalyticsTests/HostApplicationTests/AutotrackerTests/Event/A1ViewClickEventsTest.m
    /// at 4.11.0.
    @Test("GrowingIO 4.x: xpath and xcontent as its tests expect them")
    func growing4() {
        let root = "/UITabBarController/UINavigationController"
        let food = growing(0, on: 3, .split)
        #expect(food.xpath == "\(root)/GIOSimpleUIElemtsViewController/UIView/UIView/UIButton")
        #expect(food.xcontent == "/0/1/0/0/0/0")
        #expect(growing(1, on: 3, .split).xcontent == "/0/1/0/0/0/1")
        let button = growing(3, on: 2, .split)
        #expect(button.xpath == "\(root)/GIOLabelAttributeViewController/UIView/UIButton")
        #expect(button.xcontent == "/0/1/0/0/3")
        let segment = growing(2, on: 3, .split)
        #expect(
            segment.xpath
                == "\(root)/GIOSimpleUIElemtsViewController/UIView/UISegmentedControl/UIView/UIView/UISegment"
        )
        #expect(segment.xcontent == "/0/1/0/0/0/0/0/-")
        #expect(segment.path.index(ViewReference(screen: 3, node: 0, value: 1)) == 2)
        let answer = growing(4, on: 2, .split)
        #expect(
            answer.xpath
                == "\(root)/GIOLabelAttributeViewController/UIView/_UIAlertControllerInterfaceActionGroupView"
                + "/UIView/_UIInterfaceActionRepresentationsSequenceView"
                + "/_UIInterfaceActionSeparatableSequenceView/UIStackView"
                + "/_UIInterfaceActionCustomViewRepresentationView/Button")
        #expect(answer.xcontent == "/0/1/0/0/0/0/0/0/0/1/0")
    }

    @Test("GrowingIO: rows stand in index, and in a path only above the view itself")
    func growingRows() {
        let cell = growing(3, on: 3, .joined, row: 4)
        #expect(cell.xpath == "/Page/UITableView[0]/Section[1]/UITableViewCell[-]")
        #expect(cell.path.index(ViewReference(screen: 3, node: 0, row: 4)) == 4)
        let inner = growing(4, on: 3, .joined, row: 4)
        #expect(
            inner.xpath
                == "/Page/UITableView[0]/Section[2]/GIOCell[4]/UITableViewCellContentView[0]/UIButton[0]")
        let cell4 = growing(3, on: 3, .split, row: 4)
        #expect(cell4.xpath.hasSuffix("/UIView/UITableView/Section/UITableViewCell"))
        #expect(cell4.xcontent == "/0/1/0/0/0/1/-")
        #expect(cell4.path.index(ViewReference(screen: 3, node: 0, row: 4)) == 5)
        let inner4 = growing(4, on: 3, .split, row: 4)
        #expect(inner4.xcontent == "/0/1/0/0/0/2/-/0/0")
        #expect(growing(0, on: 3, .joined).path.index(ViewReference(screen: 3, node: 0)) == nil)
    }

    @Test("GrowingIO: paths of pages")
    func growingPages() {
        var described = ViewFixture.growing()
        described.screens[2].parents = ["UIPageViewController"]
        let views = AppViews(app: described)
        let tree = views.tree(of: 2)
        func path(_ node: UInt16) -> String { views.growingPagePath(ofController: node, on: 2, .joined) }
        #expect(path(tree.tabBarController) == "/UITabBarController")
        #expect(path(tree.navigationController) == "/UITabBarController/UINavigationController[1]")
        #expect(
            path(tree.controller)
                == "*/UINavigationController[1]/UIPageViewController[0]/GIOLabelAttributeViewController[0]")
        #expect(
            views.growingPagePath(ofController: tree.controller, on: 2, .split)
                == "/GIOLabelAttributeViewController")
    }

    @Test("GrowingIO: texts")
    func growingTexts() {
        let views = AppViews(app: ViewFixture.growing())
        #expect(views.growingTextValue(ViewFixture.reference(views, 4, on: 2), .joined) == "取消")
        var segment = ViewFixture.reference(views, 2, on: 3)
        segment.value = 1
        #expect(views.growingTextValue(segment, .split) == "Third")
        let toggle = AppViews(
            app: ViewFixture.app(ViewFixture.screen("A", [Control("UISwitch"), Control("UISlider")])))
        var view = ViewFixture.reference(toggle, 0)
        #expect(toggle.growingTextValue(view, .joined) == nil)
        #expect(toggle.growingTextValue(view, .split) == "false")
        view.value = 1
        #expect(toggle.growingTextValue(view, .split) == "true")
        let long = AppViews(
            app: ViewFixture.app(
                ViewFixture.screen("A", [Control("UIButton", label: String(repeating: "长", count: 60))])))
        #expect(long.growingTextValue(ViewFixture.reference(long, 0), .split)?.count == 50)
    }
}
