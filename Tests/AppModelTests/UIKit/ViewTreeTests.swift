import TestSupport
import Testing
import Timebase

@testable import AppModel

@Suite("View trees")
struct ViewTreeTests {
    /// The classes from the outermost controller to a control, with the index among those of a class.
    private func path(_ views: AppViews, _ control: UInt16, on screen: UInt16 = 0) -> String {
        let tree = views.tree(of: screen)
        return tree.path(to: tree.controls[Int(control)]) { _ in false }
            .map { "\(tree[$0].className)[\(tree[$0].classIndex)]" }.joined(separator: "/")
    }

    @Test("without a word on views: buttons in the view, rows in a list, a target's view around them")
    func defaults() {
        let views = AppViews(
            app: app(
                screen(
                    "HomeViewController",
                    [
                        Control("UIButton"), Control("UIButton"), Control("UIButton", on: "BannerView"),
                        Control("UITableViewCell").with { $0.position = .init(section: 0, rows: 3) },
                        Control("UICollectionViewCell").with { $0.position = .init(section: 0, rows: 3) },
                    ])))
        let root = "UINavigationController[0]/HomeViewController[0]/UIView[0]"
        #expect(path(views, 0) == "\(root)/UIButton[0]")
        #expect(path(views, 1) == "\(root)/UIButton[1]")
        #expect(path(views, 2) == "\(root)/BannerView[0]/UIButton[0]")
        #expect(path(views, 3) == "\(root)/UITableView[0]/UITableViewCell[0]")
        #expect(path(views, 4) == "\(root)/UICollectionView[0]/UICollectionViewCell[0]")
        let tree = views.tree(of: 0)
        #expect(tree.controls.map { tree[$0].siblingIndex } == [0, 1, 0, 0, 0])
        #expect(tree[tree.nearest(tree.controls[3]) { $0.kind.scrolls }].kind == .tableView)
        #expect(tree[tree.controls[4]].cell == tree.controls[4])
    }

    @Test("a place among siblings of a class makes the siblings that it counts")
    func classIndices() throws {
        let views = AppViews(app: ViewFixture.hall())
        let tree = views.tree(of: 0)
        let tables = tree.nodes.filter { $0.className == "HYGHallProductTableView" }
        #expect(tables.map(\.classIndex) == [0, 1])
        #expect(tables.map(\.siblingIndex) == [0, 1])
        let view = tree[tree.controls[0]]
        #expect(view.classIndex == 1)
        #expect(tree[view.cell].className == "HYGHallProductCell")
        #expect(tree[view.cell].kind == .tableCell)
    }

    @Test("controls that name the same ancestors share them")
    func shared() {
        let views = AppViews(app: ViewFixture.growing())
        let tree = views.tree(of: 3)
        #expect(tree[tree.controls[0]].parent == tree[tree.controls[1]].parent)
        #expect(tree.nodes.filter { $0.className == "UITableView" }.count == 1)
    }

    @Test("bars belong to the containers, and their items send the app's action")
    func bars() {
        var described = app(
            screen(
                "HomeViewController",
                [
                    Control("UIBarButtonItem", "edit:", label: "Edit"),
                    Control("UITabBarButton", label: "Me").with {
                        $0.opens = 1
                        $0.frame.x = 100
                    },
                ]), screen("MeViewController"))
        described.tabBarController = "MainTabBarController"
        let views = AppViews(app: described)
        let tree = views.tree(of: 0)
        let containers = "MainTabBarController[0]/UINavigationController[0]/UILayoutContainerView[0]"
        #expect(path(views, 0) == "\(containers)/UINavigationBar[0]/_UIButtonBarButton[0]")
        #expect(
            path(views, 1)
                == "MainTabBarController[0]/UILayoutContainerView[0]/UITabBar[0]/UITabBarButton[1]")
        #expect(tree[tree.controls[0]].action == "_invoke:forEvent:")
        #expect(tree[tree.items[0]].action == "edit:")
        #expect(tree[tree.items[0]].target == "ViewController")
        #expect(tree[tree.items[1]].action == "_tabBarItemClicked:")
        #expect(tree[tree.items[1]].target == "MainTabBarController")
        #expect(views.tabs == [0, 1])
        #expect(views.trees.map { $0[$0.navigationController].classIndex } == [0, 1])
    }

    @Test("one alert for all of its buttons, another for other texts")
    func alerts() {
        func action(_ title: String, _ alert: String) -> Control {
            Control("UIAlertAction", label: title).with { $0.alert = .init(title: alert, message: "") }
        }
        let views = AppViews(
            app: app(screen("A", [action("OK", "Delete?"), action("No", "Delete?"), action("OK", "Sure?")])))
        let tree = views.tree(of: 0)
        #expect(tree.nodes.filter { $0.kind == .alertController }.map(\.title) == ["Delete?", "Sure?"])
        let classIndices = tree.controls.map { tree[tree[$0].parent].classIndex }
        #expect(classIndices == [0, 1, 0])
    }

    @Test("no containers where the app has none")
    func bare() {
        var described = app(screen("A", [Control("UIButton"), Control("UIBarButtonItem")]))
        described.navigationController = ""
        let views = AppViews(app: described)
        #expect(path(views, 0) == "A[0]/UIView[0]/UIButton[0]")
        #expect(path(views, 1) == "A[0]/UIView[0]/UIBarButtonItem[0]")
        #expect(views.tree(of: 0).backButton == ViewNode.none)
    }

    @Test(
        "what a class is",
        arguments: [
            ("UIButton", Control.Kind.button), ("Shop.BuyButton", .button), ("UISlider", .slider),
            ("UISwitch", .toggle), ("UIStepper", .stepper), ("UISegmentedControl", .segmentedControl),
            ("UIPageControl", .control), ("UITextField", .control), ("UITabBarButton", .tab),
            ("UIBarButtonItem", .barButton), ("UIAlertAction", .alertAction), ("RCTView", .reactView),
            ("BannerView", .gesture),
        ])
    func kinds(_ className: String, _ kind: Control.Kind) {
        #expect(Control(className).resolvedKind == kind)
        #expect(Control(className).with { $0.kind = .slider }.resolvedKind == .slider)
    }

    @Test("rows are cells of the list that their action is of")
    func cells() {
        func row(_ className: String, _ action: String = "tap:") -> Control {
            Control(className, action).with { $0.position = .init(section: 0, rows: 1) }
        }
        #expect(row("UITableViewCell").resolvedKind == .tableCell)
        #expect(row("UICollectionViewCell").resolvedKind == .collectionCell)
        #expect(
            row("ProductCell", "collectionView:didSelectItemAtIndexPath:").resolvedKind == .collectionCell)
        #expect(row("ProductCell").resolvedKind == .tableCell)
        #expect(row("UIButton").resolvedKind == .button)
    }
}
