import AppModel
import TestSupport
import Testing

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("What Sensors reads from views")
struct ElementPathTests {
    @Test("Sensors 4.x: element paths")
    func elementPaths() {
        let views = AppViews(app: ViewFixture.growing())
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
            app: ViewFixture.app(
                ViewFixture.screen("A", [Control("UITabBarButton").with { $0.opens = 1 }]),
                ViewFixture.screen("B")))
        let tree = tab.tree(of: 0)
        #expect(
            tree.elementPath(to: tree.controls[0]).text(row: 0)
                == "UILayoutContainerView/UITabBar[0]/UITabBarButton[-]")
    }
}
