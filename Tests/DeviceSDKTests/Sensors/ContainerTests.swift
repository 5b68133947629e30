import AppModel
import Foundation
import Testing
import Wire

@testable import DeviceSDK
@testable import SensorsSDK

@Suite("Sensors: controllers around a screen")
struct ContainerTests {
    /// What is reported of a screen in containers, of a tap on it, and of the plain screen after it.
    private func events(_ version: SensorsRules.Version, in parents: [String]) throws -> [[String: Any]] {
        var app = AppDescription.forTests
        app.screens[0].parents = parents
        let world = ManualWorld(version, app: app) { $0.upload.flushBulkSize = 1000 }
        world.act(0, .launch(passive: false), .enterForeground)
        world.act(1, .appear(screen: 0, referrer: nil))
        world.act(2, .tap(screen: 0, control: 0))
        world.act(3, .appear(screen: 1, referrer: 0))
        var records: [EventRecord] = []
        world.device.store.rows.forEach { records.append($0) }
        return try records.dropFirst().map { record in
            let json = world.system.encoder.content(
                record, epoch: world.device.epochs[record.epoch], world.device)
            return try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
        }
    }

    private func lines(_ version: SensorsRules.Version, in parents: [String]) throws -> [String] {
        try events(version, in: parents).map { event in
            let properties = try #require(event["properties"] as? [String: Any])
            return [event["event"], properties["$screen_name"], properties["$referrer"]]
                .compactMap { $0 as? String }.joined(separator: " ")
        }
    }

    @Test(
        "a container of the app's own is reported in its screen's place, UIKit's own are as the version has them",
        arguments: [
            ([], ["HomeViewController"], ["HomeViewController"]),
            (["ShopContainer"], ["ShopContainer"], ["ShopContainer"]),
            (["Outer", "Inner"], ["Outer"], ["Outer"]),
            (
                ["UIPageViewController"], ["UIPageViewController"],
                ["UIPageViewController", "HomeViewController"]
            ),
            (["UISplitViewController"], ["UISplitViewController"], ["HomeViewController"]),
            (["UIAlertController", "Inner"], [], []),
        ])
    func pages(parents: [String], early: [String], recent: [String]) throws {
        let tap = "$AppClick HomeViewController"
        let after = "$AppViewScreen PageViewController"
        // Nothing of 1.x says an address, so it has no referrer.
        #expect(try lines(.v1, in: parents) == early.map { "$AppViewScreen \($0)" } + [tap, after])
        var before = ""
        var expected: [String] = []
        for page in recent {
            expected.append("$AppViewScreen \(page)" + before)
            before = " \(page)"
        }
        #expect(try lines(.v4, in: parents) == expected + [tap, after + before])
    }

    @Test("the table tells what is hooked")
    func table() {
        let early = SensorsHooks.table(.v1)
        let recent = SensorsHooks.table(.v4)
        #expect(early.rows.first { $0.event == "$AppViewScreen" }?.selector == "viewWillAppear:")
        #expect(recent.rows.first { $0.event == "$AppViewScreen" }?.selector == "viewDidAppear:")
        #expect(!recent.contains(.viewDidLoad))
        #expect(recent.contains(.didSelectItem) && recent.contains(.uncaughtException))
    }
}
