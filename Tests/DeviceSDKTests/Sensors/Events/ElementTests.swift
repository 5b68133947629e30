import AppModel
import Foundation
import TestSupport
import Testing
import World

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors, what a tap tells of its control")
struct ElementTests {
    static let versions = [SensorsRules.Version.v1, .v4]

    /// Type, content and position of a tap.
    private func tap(
        _ control: Control, _ version: SensorsRules.Version, row: UInt16 = 0, value: UInt16 = 0,
        tabs: [UInt16] = []
    ) throws -> [String?] {
        var app = ViewFixture.app(
            ViewFixture.screen("HomeViewController", [control]), ViewFixture.screen("ListViewController"))
        app.tabs = tabs
        let fixture = SensorsEventFixture(version, app: app)
        let detail = ViewReference(screen: 0, node: 0, row: row, value: value).detail
        let properties = try fixture.properties(
            fixture.record(SensorsTemplates.click, control: 0, detail: detail))
        return ["$element_type", "$element_content", "$element_position"].map { properties[$0] as? String }
    }

    private func isClick(_ control: Control, _ version: SensorsRules.Version) -> Bool {
        let views = AppViews(app: ViewFixture.app(ViewFixture.screen("HomeViewController", [control])))
        return SensorsHookedViews(views: views, version: version).isClick(0, on: 0)
    }

    @Test("a row is told as its list, and its own class by the path alone")
    func rows() throws {
        var row = Control("GoodsCell", label: "Book").with {
            $0.kind = .tableCell
            $0.position = Control.Position(section: 1, rows: 20)
        }
        for version in Self.versions {
            #expect(try tap(row, version, row: 7) == ["UITableView", "Book", "1:7"])
        }
        row.within = [.view("GoodsTableView")]
        #expect(try tap(row, .v1, row: 7) == ["UITableView", "Book", "1:7"])
        #expect(try tap(row, .v4, row: 7) == ["GoodsTableView", "Book", "1:7"])
        row.kind = .collectionCell
        row.within = []
        for version in Self.versions {
            #expect(try tap(row, version, row: 7) == ["UICollectionView", "Book", "1:7"])
        }
    }

    @Test("controls that can be set tell what they were set to", arguments: versions)
    func values(version: SensorsRules.Version) throws {
        let segments = Control("UISegmentedControl", label: "Sort").with { $0.segments = ["New", "Old"] }
        #expect(try tap(segments, version, value: 1) == ["UISegmentedControl", "Old", "1"])
        let untitled = Control("UISegmentedControl", label: "Sort")
        #expect(try tap(untitled, version) == ["UISegmentedControl", "Sort", "0"])
        let toggle = Control("UISwitch", label: "Push")
        #expect(try tap(toggle, version) == ["UISwitch", "unchecked", nil])
        #expect(try tap(toggle, version, value: 1) == ["UISwitch", "checked", nil])
        let slider = Control("UISlider", label: "Volume")
        #expect(try tap(slider, version, value: 25) == ["UISlider", "0.025000", nil])
        #expect(try tap(slider, version, value: 1000) == ["UISlider", "1.000000", nil])
        #expect(try tap(Control("UIStepper"), version, value: 100) == ["UIStepper", "100", nil])
    }

    @Test("1.10.17 knows classes of UIKit alone, 4.9.1 names a control's own and the items of bars")
    func classes() throws {
        let buy = Control("BuyButton", label: "Buy")
        #expect(try tap(buy, .v1) == ["UIButton", "Buy", nil])
        #expect(try tap(buy, .v4) == ["BuyButton", "Buy", nil])
        let field = Control("UITextField", label: "Name")
        #expect(try tap(field, .v1) == ["UIControl", "Name", nil])
        #expect(try tap(field, .v4) == ["UITextField", "Name", nil])
        let share = Control("UIBarButtonItem", label: "Share")
        #expect(try tap(share, .v1) == ["UIControl", "Share", nil])
        #expect(try tap(share, .v4) == ["UIBarButtonItem", "Share", nil])
        let tab = Control("UITabBarButton", label: "List").with { $0.opens = 1 }
        #expect(try tap(tab, .v4, tabs: [0, 1]) == ["UITabBarItem", "List", "1"])
        let image = Control("UIImageView", label: "banner").with { $0.kind = .gesture }
        #expect(try tap(image, .v1) == ["UIImageView", "$banner", nil])
        #expect(try tap(image, .v4) == ["UIImageView", "banner", nil])
        var answer = Control("UIAlertAction", label: "OK").with { $0.alert = .init(title: "?", message: "") }
        #expect(try tap(answer, .v4) == ["UIAlertController", "OK", nil])
        answer.alert?.style = .actionSheet
        #expect(try tap(answer, .v4) == ["UIActionSheet", "OK", nil])
        let react = Control("RCTView", label: "Pay").with { $0.identifier = "pay" }
        #expect(try tap(react, .v1) == ["RNView", "Pay", nil])
    }

    @Test("in 4.9.1 what lies in a cell has the cell's place")
    func inCells() throws {
        let button = Control("UIButton", label: "Add").with {
            $0.position = Control.Position(section: 2, rows: 5)
            $0.within = [.view("UITableView"), .cell("GoodsCell")]
        }
        #expect(try tap(button, .v1, row: 4) == ["UIButton", "Add", nil])
        #expect(try tap(button, .v4, row: 4) == ["UIButton", "Add", "2:4"])
    }

    @Test("taps that a version cannot see are none")
    func unseen() {
        let seen: [(Control, early: Bool, recent: Bool)] = [
            (Control("UIButton"), true, true), (Control("UISwitch"), true, true),
            (Control("UIBarButtonItem"), true, true), (Control("UITableViewCell"), true, true),
            (Control("UITabBarButton"), false, true),
            (Control("UIAlertAction").with { $0.alert = .init(title: "?", message: "") }, false, true),
            (Control("BannerView"), false, true), (Control("BannerImageView"), true, true),
            (Control("PriceLabel").with { $0.kind = .gesture }, true, true),
            (Control("WKContentView"), false, false),
            (Control("Shop.NoteTextView").with { $0.kind = .gesture }, false, false),
            (Control("RCTView"), true, false),
            (Control("RCTScrollView").with { $0.kind = .reactView }, false, false),
        ]
        for (control, early, recent) in seen {
            var control = control
            if control.className.hasSuffix("Cell") { control.position = .init(section: 0, rows: 3) }
            #expect(isClick(control, .v1) == early, "\(control.className)")
            #expect(isClick(control, .document) == early, "\(control.className)")
            #expect(isClick(control, .v4) == recent, "\(control.className)")
        }
    }

    @Test("the value of a tap is drawn beside its row, in the whole range", arguments: versions)
    func draws(version: SensorsRules.Version) {
        var app = AppDescription.forTests
        app.screens[0].controls[1] = Control("UISegmentedControl").with {
            $0.segments = ["A", "B", "C"]
            $0.position = Control.Position(section: 0, rows: 9)
        }
        let world = ManualWorld(version, app: app) { $0.upload.networks = [] }
        world.act(0, .launch(passive: false), .enterForeground)
        for second in 1...60 { world.act(Double(second), .tap(screen: 0, control: 1)) }
        var taps: [ViewReference] = []
        world.device.store.rows.forEach { record in
            guard record.template == SensorsTemplates.click else { return }
            taps.append(ViewReference(screen: 0, node: 0, detail: record.detail))
        }
        #expect(taps.count == 60)
        #expect(Set(taps.map(\.value)) == [0, 1, 2])
        #expect(Set(taps.map(\.row)).count > 4 && taps.allSatisfy { $0.row < 9 })
    }
}
