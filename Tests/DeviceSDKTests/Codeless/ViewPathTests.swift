import AppModel
import TestSupport
import Testing

@testable import CodelessSDK
@testable import DeviceSDK

@Suite("What the codeless SDK reads from views")
struct ViewPathTests {
    @Test("viewPath: the example that was published")
    func publishedViewPath() {
        let views = AppViews(app: ViewFixture.hall())
        let published =
            "HYGHallSlideViewController-UIScrollView-HYGHallProductTableView-UITableViewWrapperView-"
            + "HYGHallProductCell-UITableViewCellContentView-HYGHallProductView & 0-0-1-0-0:2-0-1"
        #expect(path(ViewFixture.reference(views, 0, row: 2), views) == published)
        #expect(
            path(ViewFixture.reference(views, 0, row: 13), views)
                == published.replacing("0:2", with: "0:13"))
    }

    @Test("viewPath: without Swift's module, from the nearest controller, a container's for bars")
    func viewPathOfSwift() {
        var described = ViewFixture.app(
            ViewFixture.screen(
                "Shop.HomeViewController", [Control("Shop.BuyButton"), Control("UIBarButtonItem")]))
        described.navigationController = "Shop.MainNavigation"
        let views = AppViews(app: described)
        #expect(path(ViewFixture.reference(views, 0), views) == "HomeViewController-UIView-BuyButton & 0-0-0")
        #expect(
            path(ViewFixture.reference(views, 1), views)
                == "MainNavigation-UILayoutContainerView-UINavigationBar-_UIButtonBarButton & 0-0-0-0")
        #expect(path(views.controller(of: 0), views) == "HomeViewController & 0")
        #expect(views.node(views.controller(of: 0)).className == "Shop.HomeViewController")
    }

    private func path(_ view: ViewReference, _ views: AppViews) -> String {
        views.tree(of: view.screen).viewPath(to: view.node).text(row: view.row)
    }
}
