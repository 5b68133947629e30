import AppModel
import Testing

@testable import DeviceSDK
@testable import GrowingSDK

@Suite("GrowingIO, pages")
struct GrowingPageTests {
    /// Three screens in a navigation controller; the first has the controls of ``AppDescription/forGrowing``.
    private static let app: AppDescription = {
        var app = AppDescription.forGrowing
        app.screens[0].controls.removeLast()
        app.screens[1] = Screen(name: "detail", className: "DetailViewController", title: "Detail")
        app.screens.append(Screen(name: "pay", className: "PayViewController", title: "Pay"))
        app.events.removeLast()
        return app
    }()

    /// A device whose app has started and tracks two of its three screens.
    private func started(
        _ version: GrowingRules.Version, _ change: (inout GrowingRules) -> Void = { _ in }
    ) -> GrowingWorld {
        let world = GrowingWorld(version, app: Self.app) {
            $0.autotrack.pages = .listed(["HomeViewController": "home", "PayViewController": "pay"])
            change(&$0)
        }
        world.startApp()
        return world
    }

    /// A member of all events of a type that has it, `-` for those that do not.
    private func members(_ name: String, of type: String, _ world: GrowingWorld) -> [String] {
        world.encodedEvents().filter { $0.contains("\"eventType\":\"\(type)\"") }.map { event in
            guard let range = event.firstRange(of: "\"\(name)\":\"") else { return "-" }
            return String(event[range.upperBound...].prefix { $0 != "\"" }).replacing("\\/", with: "/")
        }
    }

    @Test("4.x: a page says where it comes from if the controller that appeared before it is tracked")
    func referral() {
        let world = started(.v4)
        for screen in [0, 1, 2, 0] as [UInt16] { world.act(1, .appear(screen: screen, referrer: nil)) }
        #expect(members("path", of: "PAGE", world) == ["/home", "/pay", "/home"])
        #expect(members("referralPage", of: "PAGE", world) == ["-", "-", "/pay"])
    }
}
