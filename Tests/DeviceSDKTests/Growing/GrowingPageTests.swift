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

    @Test("4.x: custom events have the path of the last PAGE that the process built, if the app asks for it")
    func customPaths() {
        func paths(_ change: (inout GrowingRules) -> Void = { _ in }) -> [String] {
            let world = started(.v4) {
                $0.customEventWithPath = true
                change(&$0)
            }
            world.track(1)
            for screen in [0, 1, 2] as [UInt16] {
                world.act(1, .appear(screen: screen, referrer: nil))
                world.track(1)
            }
            world.act(2, .kill)
            world.act(3, .launch(passive: false))
            world.track(3)
            return members("path", of: "CUSTOM", world)
        }
        #expect(paths() == ["/", "/home", "/home", "/pay", "/"])
        let containers = paths { $0.autotrack.pages = .listed(["UINavigationController": "nav"]) }
        #expect(containers == ["/", "/nav", "/nav", "/nav", "/"])
        let none = Array(repeating: "/", count: 5)
        #expect(paths { $0.autotrack.pages = .listed([:]) } == none)
        #expect(paths { $0.shell = .tracker } == none)
        #expect(paths { $0.excludedEvents = ["PAGE"] } == none)
        #expect(paths { $0.customEventWithPath = false } == Array(repeating: "-", count: 5))
    }

    @Test(
        "3.x: with a list of pages, a click has the path of the page that was sent",
        arguments: [GrowingRules.Version.v3, .document])
    func clicks(version: GrowingRules.Version) {
        func paths(_ pages: [String: String]) -> (pages: [String], clicks: [String]) {
            let world = started(version) { $0.autotrack.pages = .listed(pages) }
            world.act(1, .appear(screen: 0, referrer: nil))
            world.tap(2)
            return (members("path", of: "PAGE", world), members("path", of: "VIEW_CLICK", world))
        }
        let screen = paths(["HomeViewController": "home"])
        #expect(screen.pages == ["/home"] && screen.clicks == ["/home"])
        let container = paths(["UINavigationController": "nav"])
        #expect(container.pages == ["/nav"] && container.clicks == ["/nav"])
        let none = paths([:])
        #expect(none.pages.isEmpty && none.clicks == ["/UINavigationController/HomeViewController[0]"])
    }
}
