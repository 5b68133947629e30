import Accounting
import AppModel
import Testing
import Timebase
import Wire

@testable import DeviceSDK
@testable import KitSDK

@Suite("Kit, files and rows")
struct KitLogTests {
    /// A day with one of each kind of row that the app makes, sent at the start of the next day.
    private func day(_ version: KitRules.Version, tagged: Bool = true) throws -> [String] {
        let world = KitWorld(version, tagged: tagged)
        world.visit(10)
        world.act(12.4, .tap(screen: 0, control: 0))
        world.act(20, .kill)
        world.act(KitWorld.day, .launch(passive: false))
        let logs = try KitWorld.logs(try #require(world.uploads.first))
        #expect(logs.count == 1)
        return logs.first?.lines ?? []
    }

    @Test("a file is the phone's line and a row per event, as the SDK writes them")
    func rows() throws {
        let lines = try day(.v1)
        #expect(lines.first?.split(separator: ",").count ?? 0 >= 7)
        #expect(lines[1] == "0,1767571210,AppDelegate,启动App")
        #expect(lines[2].hasPrefix("1,1767571210,"))
        #expect(lines[2].hasSuffix(",进入ViewController"))
        // 12.4 s are rounded to the nearest second, as %.f does.
        #expect(lines[3].split(separator: ",")[1] == "1767571212")
        #expect(lines.last?.isEmpty == false, "the file has no line end at its end")
    }

    @Test("rows round the moment itself, not its milliseconds")
    func rounding() throws {
        let world = KitWorld()
        world.visit(10)
        // Half a second after an even one, and a bit.
        world.act(12.5004, .tap(screen: 0, control: 0))
        world.act(20, .kill)
        world.act(KitWorld.day, .launch(passive: false))
        let lines = try KitWorld.logs(try #require(world.uploads.first)).first?.lines ?? []
        #expect(lines.last?.split(separator: ",")[1] == "1767571213")
    }

    @Test("the phone's line: what a phone of its time says of itself")
    func phones() throws {
        var systems: Set<String> = []
        for index in 0..<400 {
            let stream = RandomStream(key: 0xC1).child(UInt64(index))
            let phone = KitHandset(traits: stream, identity: stream.child(1))
            let fields = phone.line(version: (name: "1.2", build: 34)).split(separator: ",").suffix(6)
                .map(String.init)
            // `UIDevice` told of an iPhone OS up to iOS 9, as in the published example of 9.1.
            #expect(fields[1] == (fields[2].hasPrefix("9.") ? "iPhone OS" : "iOS"))
            // The SDK's table has no iPhone 7.
            #expect(fields[0].hasPrefix("iPhone ") && !fields[0].hasPrefix("iPhone 7"))
            #expect(fields.suffix(2) == ["1.2", "34"])
            #expect(phone.scale == (fields[0].hasSuffix(" Plus") ? "3.00" : "2.00"))
            systems.insert("\(fields[1]) \(fields[2])")
        }
        #expect(
            systems == ["iPhone OS 9.3.2", "iPhone OS 9.3.5", "iOS 10.0.2", "iOS 10.1.1", "iOS 10.2"])
    }

    @Test("line breaks of the app's texts end neither a row nor a line of the request's head")
    func lineBreaks() throws {
        var app = AppDescription.plainForTests
        app.appDelegate = "Hall\nDelegate"
        app.displayName = "Shop\r\nX-Name: 1"
        app.versions = ["1.0\r\nX-Version: 1"]
        app.screens[0].controls = [
            Control(className: "UIButton", action: "buy:", target: "HomeViewController", label: "a\nb")
        ]
        let world = KitWorld(app: app)
        world.visit(10)
        world.act(12, .tap(screen: 0, control: 0))
        world.act(20, .kill)
        world.act(KitWorld.day, .launch(passive: false))
        let upload = try #require(world.uploads.first)
        let lines = try KitWorld.logs(upload).first?.lines ?? []
        #expect(lines.first?.hasSuffix(",1.0  X-Version: 1,1") == true)
        #expect(lines.dropFirst().first == "0,1767571210,Hall Delegate,启动App")
        #expect(lines.last?.contains("|a b") == true)
        #expect(lines.dropFirst().allSatisfy { row in row.first?.isNumber == true })
        let names = upload.head.headerLines.split(separator: "\r\n").map { $0.prefix { $0 != ":" } }
        #expect(names == ["Content-Type", "User-Agent", "X-Env"])
        #expect(upload.head.headerLines.contains("User-Agent: ShopX-Name:1/1.0  X-Version: 1 (iPhone; "))
    }

    @Test("the row of a start tells the class of the app's delegate")
    func delegate() throws {
        var app = AppDescription.plainForTests
        app.appDelegate = "Hall.HallDelegate"
        let world = KitWorld(app: app)
        world.visit(10)
        world.act(20, .kill)
        world.act(KitWorld.day, .launch(passive: false))
        let upload = try #require(world.uploads.first)
        let lines = try KitWorld.logs(upload).first?.lines ?? []
        #expect(lines.dropFirst().first == "0,1767571210,Hall.HallDelegate,启动App")
    }

    @Test("a control's row says its id in the info, other rows never")
    func ids() throws {
        let tagged = try day(.v1)
        let control = try #require(tagged.last)
        #expect(control.contains("~17-"), "\(control)")
        #expect(!tagged.dropLast().contains { $0.contains("~17-") })
        #expect(try !day(.v1, tagged: false).contains { $0.contains("~17-") })
    }

    @Test(
        "codes of the source and of the description",
        arguments: [
            (KitTemplate.button, 100, 100), (.segmentedControl, 101, 101), (.slider, 102, 102),
            (.toggle, 102, 103), (.stepper, 102, 104), (.other, 103, 105), (.launch, 0, 0), (.appear, 1, 1),
            (.disappear, 2, 2), (.tab, 3, 3),
        ] as [(KitTemplate, Int, Int)])
    func codes(template: KitTemplate, source: Int, document: Int) {
        #expect(template.code(KitRules(version: .v1).typeCodes) == source)
        #expect(template.code(KitRules(version: .document).typeCodes) == document)
    }

    @Test("files and archive bear the local dates and the phone's id; the archive is named after yesterday")
    func names() throws {
        let world = KitWorld()
        world.visit(10)
        world.act(20, .kill)
        world.visit(KitWorld.midnight + 60)
        world.act(KitWorld.midnight + 70, .kill)
        world.act(KitWorld.midnight + KitWorld.day + 60, .launch(passive: true))
        let archive = try KitWorld.archive(try #require(world.uploads.last))
        let id = try #require(archive.name?.split(separator: "_").last).dropLast(".zip".count)
        #expect(archive.name == "2026-01-06_userStatisics_\(id).zip")
        #expect(
            archive.logs.map(\.name) == [
                "2026-01-05_userStatisics_\(id).log", "2026-01-06_userStatisics_\(id).log",
            ])
        #expect(id.count == 36)
    }

    @Test("a zone that changes moves the midnight between two files")
    func zones() throws {
        let change = KitWorld.beginning + .hours(12)
        let zones = TimeZones([(UTCOffsets(first: .hours(8), changes: [(change, .hours(9))]), 1)])
        let world = KitWorld(zones: zones)
        world.visit(10)
        world.act(20, .kill)
        // Half past eleven by the old time, half past twelve by the new.
        world.visit(KitWorld.midnight - 1800)
        #expect(try KitWorld.archive(try #require(world.uploads.last)).logs.count == 1)
        world.act(KitWorld.midnight - 1700, .kill)
        world.act(KitWorld.midnight + KitWorld.day, .launch(passive: true))
        let logs = try KitWorld.archive(try #require(world.uploads.last)).logs
        #expect(logs.map { $0.name.prefix(10) } == ["2026-01-05", "2026-01-06"])
    }

    @Test("rows without an id are known by file and line")
    func keys() throws {
        let world = KitWorld()
        world.visit(10)
        world.act(12, .tap(screen: 0, control: 0))
        world.act(20, .kill)
        world.visit(KitWorld.day)
        let log = try #require(try KitWorld.logs(world.uploads[0]).first)
        world.take(at: KitWorld.day + 1)
        let delivered = world.sequences(.delivered)
        #expect(delivered.count == log.lines.count - 1)
        for (index, sequence) in delivered.enumerated() {
            var text = WireBuffer(log.name)
            text.append(0x1F as UInt8)
            text.appendDecimal(index + 2)
            let hash = text.withUnsafeBytes { Hash128($0) }
            let expected: NaturalKey? =
                log.lines[index + 1].contains("~17-") ? nil : NaturalKey(high: hash.high, low: hash.low)
            #expect(world.fates[sequence]?.naturalKey == expected)
        }
    }
}
