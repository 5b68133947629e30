import Testing

@testable import AppModel

@Suite("What hooks read from views")
struct ReaderTests {
    @Test("viewPath: the example that was published")
    func publishedViewPath() {
        let views = AppViews(app: hallApp())
        let path =
            "HYGHallSlideViewController-UIScrollView-HYGHallProductTableView-UITableViewWrapperView-"
            + "HYGHallProductCell-UITableViewCellContentView-HYGHallProductView & 0-0-1-0-0:2-0-1"
        #expect(views.viewPath(reference(views, 0, row: 2)) == path)
        #expect(views.viewPath(reference(views, 0, row: 13)) == path.replacing("0:2", with: "0:13"))
    }

    @Test("viewPath: without Swift's module, from the nearest controller, a container's for bars")
    func viewPathOfSwift() {
        var described = app(
            screen("Shop.HomeViewController", [Control("Shop.BuyButton"), Control("UIBarButtonItem")]))
        described.navigationController = "Shop.MainNavigation"
        let views = AppViews(app: described)
        #expect(views.viewPath(reference(views, 0)) == "HomeViewController-UIView-BuyButton & 0-0-0")
        #expect(
            views.viewPath(reference(views, 1))
                == "MainNavigation-UILayoutContainerView-UINavigationBar-_UIButtonBarButton & 0-0-0-0")
        #expect(views.viewPath(views.controller(of: 0)) == "HomeViewController & 0")
        #expect(views.node(views.controller(of: 0)).className == "Shop.HomeViewController")
    }

    // MARK: GrowingIO: the expectations of its own tests

    private func growing(
        _ control: UInt16, on screen: UInt16, _ format: GrowingPathFormat, row: UInt16 = 0
    ) -> (path: GrowingPath, xpath: String, xcontent: String) {
        let views = AppViews(app: growingApp())
        let view = reference(views, control, on: screen, row: row)
        let path = views.growingPath(ofNode: view.node, on: screen, format)
        return (path, path.xpath.text(row: row), path.xcontent.text(row: row))
    }

    /// Example/ExampleTests/ProtocolAndApi/ClickEventsTest.m at 3.2.1.
    @Test("GrowingIO 3.x: path and xpath as its tests expect them")
    func growing3() {
        let button = growing(3, on: 2, .v3)
        #expect(button.xpath == "/Page/UIButton[3]")
        #expect(
            button.path.path
                == "/UITabBarController/UINavigationController[1]/GIOLabelAttributeViewController[0]")
        let answer = growing(4, on: 2, .v3)
        #expect(
            answer.xpath
                == "/Page/UIAlertController/UIView[0]/_UIAlertControllerInterfaceActionGroupView[0]/UIView[0]"
                + "/_UIInterfaceActionRepresentationsSequenceView[0]"
                + "/_UIInterfaceActionSeparatableSequenceView[0]/UIStackView[0]"
                + "/_UIInterfaceActionCustomViewRepresentationView[1]/Button[0]")
        #expect(answer.path.path == button.path.path)
        #expect(growing(0, on: 3, .v3).xpath == "/Page/UIView[0]/UIButton[0]")
        #expect(growing(1, on: 3, .v3).xpath == "/Page/UIView[0]/UIButton[1]")
    }

    /// Example/GrowingAnalyticsTests/HostApplicationTests/AutotrackerTests/Event/A1ViewClickEventsTest.m
    /// at 4.11.0.
    @Test("GrowingIO 4.x: xpath and xcontent as its tests expect them")
    func growing4() {
        let root = "/UITabBarController/UINavigationController"
        let food = growing(0, on: 3, .v4)
        #expect(food.xpath == "\(root)/GIOSimpleUIElemtsViewController/UIView/UIView/UIButton")
        #expect(food.xcontent == "/0/1/0/0/0/0")
        #expect(growing(1, on: 3, .v4).xcontent == "/0/1/0/0/0/1")
        let button = growing(3, on: 2, .v4)
        #expect(button.xpath == "\(root)/GIOLabelAttributeViewController/UIView/UIButton")
        #expect(button.xcontent == "/0/1/0/0/3")
        let segment = growing(2, on: 3, .v4)
        #expect(
            segment.xpath
                == "\(root)/GIOSimpleUIElemtsViewController/UIView/UISegmentedControl/UIView/UIView/UISegment"
        )
        #expect(segment.xcontent == "/0/1/0/0/0/0/0/-")
        #expect(segment.path.index(ViewReference(screen: 3, node: 0, value: 1)) == 2)
        let answer = growing(4, on: 2, .v4)
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
        let cell = growing(3, on: 3, .v3, row: 4)
        #expect(cell.xpath == "/Page/UITableView[0]/Section[1]/UITableViewCell[-]")
        #expect(cell.path.index(ViewReference(screen: 3, node: 0, row: 4)) == 4)
        let inner = growing(4, on: 3, .v3, row: 4)
        #expect(
            inner.xpath
                == "/Page/UITableView[0]/Section[2]/GIOCell[4]/UITableViewCellContentView[0]/UIButton[0]")
        let cell4 = growing(3, on: 3, .v4, row: 4)
        #expect(cell4.xpath.hasSuffix("/UIView/UITableView/Section/UITableViewCell"))
        #expect(cell4.xcontent == "/0/1/0/0/0/1/-")
        #expect(cell4.path.index(ViewReference(screen: 3, node: 0, row: 4)) == 5)
        let inner4 = growing(4, on: 3, .v4, row: 4)
        #expect(inner4.xcontent == "/0/1/0/0/0/2/-/0/0")
        #expect(growing(0, on: 3, .v3).path.index(ViewReference(screen: 3, node: 0)) == nil)
    }

    @Test("GrowingIO: paths of pages")
    func growingPages() {
        var described = growingApp()
        described.screens[2].parents = ["UIPageViewController"]
        let views = AppViews(app: described)
        let tree = views.tree(of: 2)
        func path(_ node: UInt16) -> String { views.growingPagePath(ofController: node, on: 2, .v3) }
        #expect(path(tree.tabBarController) == "/UITabBarController")
        #expect(path(tree.navigationController) == "/UITabBarController/UINavigationController[1]")
        #expect(
            path(tree.controller)
                == "*/UINavigationController[1]/UIPageViewController[0]/GIOLabelAttributeViewController[0]")
        #expect(
            views.growingPagePath(ofController: tree.controller, on: 2, .v4)
                == "/GIOLabelAttributeViewController")
    }

    @Test("GrowingIO: texts")
    func growingTexts() {
        let views = AppViews(app: growingApp())
        #expect(views.growingTextValue(reference(views, 4, on: 2), .v3) == "取消")
        var segment = reference(views, 2, on: 3)
        segment.value = 1
        #expect(views.growingTextValue(segment, .v4) == "Third")
        let toggle = AppViews(app: app(screen("A", [Control("UISwitch"), Control("UISlider")])))
        var view = reference(toggle, 0)
        #expect(toggle.growingTextValue(view, .v3) == nil)
        #expect(toggle.growingTextValue(view, .v4) == "false")
        view.value = 1
        #expect(toggle.growingTextValue(view, .v4) == "true")
        let long = AppViews(
            app: app(screen("A", [Control("UIButton", label: String(repeating: "长", count: 60))])))
        #expect(long.growingTextValue(reference(long, 0), .v4)?.count == 50)
    }

    // MARK: Sensors

    @Test("Sensors 4.x: element paths")
    func elementPaths() {
        let views = AppViews(app: growingApp())
        func path(_ control: UInt16, on screen: UInt16) -> String {
            let tree = views.tree(of: screen)
            return tree.elementPath(to: tree.controls[Int(control)]).text(row: 4)
        }
        #expect(path(3, on: 2) == "UIView/UIButton[3]")
        #expect(path(1, on: 3) == "UIView/UIView[0]/UIButton[1]")
        #expect(path(2, on: 3) == "UIView/UISegmentedControl[0]/UISegment[-]")
        #expect(path(3, on: 3) == "UIView/UITableView[0]/UITableViewCell[1][-]")
        #expect(
            path(4, on: 3) == "UIView/UITableView[0]/GIOCell[2][-]/UITableViewCellContentView[0]/UIButton[0]")
        #expect(path(4, on: 2).hasPrefix("UIAlertController/_UIAlertControllerView/UIView[0]/_UIAlert"))
        let tab = AppViews(
            app: app(screen("A", [Control("UITabBarButton").with { $0.opens = 1 }]), screen("B")))
        let tree = tab.tree(of: 0)
        #expect(
            tree.elementPath(to: tree.controls[0]).text(row: 0)
                == "UILayoutContainerView/UITabBar[0]/UITabBarButton[-]")
    }

    // MARK: Kit

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
        let views = AppViews(app: app(screen(target, [button])))
        #expect(views.behaviourData(reference(views, 0)) == expected)
    }

    @Test("Kit's behaviour data: what controls are set to")
    func kitValues() {
        let controls = [
            Control("UISegmentedControl").with { $0.segments = ["推荐", ""] }, Control("UISlider"),
            Control("UISwitch").with { $0.tag = 7 }, Control("UIStepper"),
            Control("UIPageControl", label: "x"),
        ]
        let views = AppViews(app: app(screen("A", controls)))
        func info(_ control: UInt16, _ value: UInt16) -> String {
            var view = reference(views, control)
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
            views.behaviourData(reference(views, 2))
                == "UISwitch|ViewController|act:|7|{{0, 0}, {0, 0}}|isOff")
    }

    @Test("references keep what differs from tap to tap in 32 bits")
    func detail() {
        let view = ViewReference(screen: 3, node: 9, row: 65_535, value: 1000)
        #expect(ViewReference(screen: 3, node: 9, detail: view.detail) == view)
        #expect(MemoryLayout<ViewReference>.size == 8)
        #expect(MemoryLayout<UIKitCall>.size <= 16)
        #expect(MemoryLayout<UIKitTrace>.size <= 32)
    }
}
