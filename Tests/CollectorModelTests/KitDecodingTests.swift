import Accounting
import TestSupport
import Testing
import Timebase
import Wire

@testable import CollectorModel

@Suite("Reading KitAnalysisOfUserBehavior uploads")
struct KitDecodingTests {
    private static let example = """
        My iPhone,iPhone 6s,iOS,10.0,0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0,1.2,34
        0,1477382000,AppDelegate,启动App
        1,1477382001,HomeViewController,进入ViewController
        100,1477382005,UIButton|HomeViewController|buy:|0|{{10, 20}, {80, 30}}|购买,UIButton点击事件
        """
    private static let device = #"""
        "device":{"deviceName":"My iPhone","deviceModel":"iPhone 6s","systemName":"iOS","systemVersion":"10.0",\#
        "uuid":"0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0","appVersion":"1.2","appBuild":"34"}
        """#

    @Test("reads the rows of a log, and answers as the client wants it")
    func rows() {
        var bench = Bench()
        let reply = bench.post(.kit([("day.log", Self.example)]))
        #expect(reply.status == 200)
        #expect(reply.contentType.description == "application/json")
        #expect(reply.body == Array(#"{"statusCode":200}"#.utf8))
        #expect(bench.sink.rows.map(\.type) == ["0", "1", "100"])
        #expect(bench.sink.rows.map(\.name) == ["启动App", "进入ViewController", "UIButton点击事件"])
        #expect(
            bench.sink.rows.map(\.capturedAt) == [1_477_382_000_000, 1_477_382_001_000, 1_477_382_005_000])
        #expect(Set(bench.sink.rows.map(\.distinctID)) == ["0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"])
        #expect(
            bench.sink.rows.last?.payload == #"""
                {"log":"day.log","line":4,"typeCode":100,"epochSeconds":1477382005,\#
                "content":"UIButton|HomeViewController|buy:|0|{{10, 20}, {80, 30}}|购买","class":"UIButton",\#
                "targetClass":"HomeViewController","selector":"buy:","tag":"0","frame":"{{10, 20}, {80, 30}}",\#
                "info":"购买","remark":"UIButton点击事件",\#(Self.device)}
                """#)
        #expect(
            bench.sink.rows.first?.payload == #"""
                {"log":"day.log","line":2,"typeCode":0,"epochSeconds":1477382000,"content":"AppDelegate",\#
                "remark":"启动App",\#(Self.device)}
                """#)
        let natural = Array("day.log\u{1F}2".utf8).withUnsafeBytes { Hash128($0) }
        #expect(bench.sink.rows.first?.id == NaturalKey(high: natural.high, low: natural.low).text)
    }

    @Test("the same log in another archive brings copies, identical rows of one log do not")
    func duplicates() {
        let row = "1,1477382001,Home,进入ViewController"
        let log = "\(SystemUpload.kitHeader)\n\(row)\n\(row)"
        var bench = Bench()
        bench.post(.kit([("monday.log", log)]))
        bench.post(.kit([("monday.log", log), ("tuesday.log", log)]))
        #expect(bench.sink.rows.map(\.copy) == [0, 0, 1, 1, 0, 0])
        #expect(bench.model.statistics.unique == 4)
    }

    @Test("titles may have separators, commas and tildes; the id is behind the last tilde")
    func titles() {
        let rows = [
            "100,1,UIButton|T|s|0|{{1, 2}, {3, 4}}|a|b,c~d~5-6,UIButton点击事件",
            "103,2,UIControl||s|0|{{1, 2}, {3, 4}}|,其它UIControl事件",
            "102,3,UISlider|T|s|-1|{{1, 2}, {3, 4}}|0.500000~5-7,UISlider选择事件",
            "100,4,UIButton|T|s|0|{{1, 2}, {3, 4}}|x~05-7,UIButton点击事件",
        ]
        var bench = Bench()
        bench.post(.kit([("a.log", "\(SystemUpload.kitHeader)\n\(rows.joined(separator: "\n"))")]))
        #expect(bench.sink.rows.map(\.id).filter { $0.count < 32 } == ["5-6", "5-7"])
        #expect(bench.sink.rows.count == 4)
        #expect(bench.sink.rows.first?.payload.contains(#""info":"a|b,c~d~5-6""#) == true)
        #expect(bench.sink.rows.first?.payload.contains(#""bs_id":"5-6""#) == true)
    }

    @Test("a device's name may have commas, and a log may lack the device's line")
    func headers() {
        let named = "Ann, Bob's, iPhone,iPhone 6s,iOS,10.0,UUID,1.2,34\n0,1,AppDelegate,启动App"
        let headless = "\n0,1,AppDelegate,启动App\n1,2,Home,进入ViewController"
        let rowFirst = "0,1,AppDelegate,启动App"
        var bench = Bench()
        bench.post(.kit([("a.log", named), ("b.log", headless), ("c.log", rowFirst), ("d.log", "")]))
        #expect(bench.sink.rows.map(\.distinctID) == ["UUID", "", "", ""])
        #expect(bench.sink.rows.first?.payload.contains(#""deviceName":"Ann, Bob's, iPhone""#) == true)
        let lines = bench.sink.rows.map { $0.payload.split(separator: ",")[1] }
        #expect(lines == [#""line":2"#, #""line":2"#, #""line":3"#, #""line":1"#])
        #expect(bench.undecodable.isEmpty)
    }

    @Test(
        "what is no row is counted, and the others are taken",
        arguments: [
            "x,1,Home,remark", "1,x,Home,remark", "1,2,Home", "1,2", "", "100,1,UIButton|T|s|0|frame,remark",
            "1,99999999999999,Home,remark", "1,1.5,Home,remark",
        ])
    func brokenRows(row: String) {
        var bench = Bench()
        let log = "\(SystemUpload.kitHeader)\n\(row)\n0,1,AppDelegate,启动App"
        #expect(bench.post(.kit([("a.log", log)])).status == 200)
        #expect(bench.sink.rows.map(\.type) == ["0"])
        #expect(bench.undecodable == (row.isEmpty ? [:] : [.row: 1]))
    }

    @Test("a row that is not UTF-8 or too long is none")
    func strangeRows() {
        var bench = Bench()
        // Not of one letter, which would shrink to a suspicious size.
        let long = (0..<KitRow.byteLimit / 5).map { String(10_000 + $0) }.joined()
        var content = Array("\(SystemUpload.kitHeader)\n0,1,\(long),r\n0,1,".utf8)
        content += [0xFF] + Array(",r\n0,2,ok,r".utf8)
        bench.post(.kit(archive: SystemUpload.zip([("a.log", content)])))
        #expect(bench.sink.rows.map(\.capturedAt) == [2000])
        #expect(bench.undecodable == [.row: 2])
    }

    @Test("what is no form with a file is refused, with what is no archive")
    func refusals() {
        let good = SystemUpload.of(.kit)
        var bench = Bench()
        #expect(bench.post(good.body, path: good.path).status == 400)
        #expect(
            bench.post(good.body, path: good.path, headers: [.contentType: "multipart/form-data"]).status
                == 400)
        #expect(bench.post(Array(good.body.prefix(60)), path: good.path, headers: good.headers).status == 400)
        #expect(bench.undecodable == [.multipart: 3])
        bench = Bench()
        bench.post(.kit(archive: Array("no archive".utf8)))
        bench.post(.kit(archive: []))
        #expect(bench.undecodable == [.zip: 2])
        bench = Bench()
        #expect(bench.post(.kit(archive: SystemUpload.zip([]))).status == 200)
        #expect(bench.undecodable.isEmpty)
    }

    @Test("an entry that cannot be unpacked does not take the others with it")
    func brokenEntry() {
        let log = SystemUpload.kitLog(["1-0", "1-1"])
        var archive = SystemUpload.zip([("a.log", Array(log.utf8)), ("b.log", Array(log.utf8))])
        // In the middle of the first entry's stream.
        archive[60] ^= 0xFF
        var bench = Bench()
        bench.post(.kit(archive: archive))
        #expect(bench.sink.rows.count == 2)
        #expect(bench.undecodable == [.zip: 1])
    }

    @Test(
        "archives whose names lead elsewhere are refused whole",
        arguments: ["../a.log", "/aa.log", "x/a.log", #"..\.log"#])
    func paths(name: String) {
        let archive = SystemUpload.zip([
            (String(repeating: "N", count: name.utf8.count), Array("0,1,a,b".utf8))
        ])
        let patched = replacing(
            Array(repeating: UInt8(ascii: "N"), count: name.utf8.count), by: Array(name.utf8), in: archive)
        var bench = Bench()
        #expect(bench.post(.kit(archive: patched)).status == 400)
        #expect(bench.undecodable == [.zip: 1])
        #expect(bench.sink.rows.isEmpty)
    }

    private func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for index in 0...(result.count - old.count) where Array(result[index..<index + old.count]) == old {
            result.replaceSubrange(index..<index + old.count, with: new)
        }
        return result
    }

    @Test("too many entries are refused, whatever their number's field says", arguments: [1001, 1_000_000])
    func manyEntries(count: Int) {
        var header = WireBuffer()
        header.append(contentsOf: [0x50, 0x4B, 0x01, 0x02])
        header.append(contentsOf: [UInt8](repeating: 0, count: 24))
        header.append(contentsOf: [1, 0])
        header.append(contentsOf: [UInt8](repeating: 0, count: 16))
        header.append(UInt8(ascii: "a"))
        var archive = WireBuffer(capacity: count * 47 + 22)
        for _ in 0..<count { archive.append(contentsOf: header) }
        let size = archive.count
        archive.append(contentsOf: [0x50, 0x4B, 0x05, 0x06, 0, 0, 0, 0])
        for _ in 0..<2 {
            archive.append(contentsOf: [
                UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8),
            ])
        }
        for shift in [0, 8, 16, 24] { archive.append(UInt8(truncatingIfNeeded: size >> shift)) }
        archive.append(contentsOf: [0, 0, 0, 0, 0, 0])
        var bench = Bench()
        bench.post(.kit(archive: archive.bytes))
        #expect(bench.undecodable == [.tooLarge: 1])
    }

    @Test("archives that hold too much are refused")
    func bombs() {
        // One entry that expands some thousandfold; many that do so in all.
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        var bench = Bench()
        bench.post(.kit(archive: SystemUpload.zip([("a.log", zeros)])))
        #expect(bench.undecodable == [.tooLarge: 1])
        var draw = RandomStream(seed: 1, population: 0, index: 0, purpose: .test)
        let noise = (0..<(1 << 20)).map { _ in UInt8(truncatingIfNeeded: draw.below(16)) }
        bench = Bench()
        bench.post(.kit(archive: SystemUpload.zip((0..<17).map { ("\($0).log", noise) })))
        #expect(bench.undecodable == [.tooLarge: 1])
    }

    @Test("rows that become too much JSON are refused, before any of them is stored")
    func expansion() {
        let header = String(repeating: "\u{1}", count: 900) + ",m,iOS,1,u,1,1"
        let rows = String(repeating: "\n0,1,a,b", count: 13_000)
        var bench = Bench()
        bench.post(.kit([("a.log", header + rows)]))
        #expect(bench.undecodable == [.tooLarge: 1])
        #expect(bench.sink.rows.isEmpty)
    }
}
