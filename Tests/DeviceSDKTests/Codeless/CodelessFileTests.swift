import Accounting
import AppModel
import Testing
import Timebase
import World

@testable import CodelessSDK
@testable import DeviceSDK

@Suite("Codeless SDK, ends of processes and files")
struct CodelessFileTests {
    /// An app with one event in `eventArray`, and before it a part whose upload failed, one that is on its
    /// way, and one that waits.
    private func loaded(
        app: AppDescription = .codelessForTests, change: (inout CodelessRules) -> Void = { _ in }
    ) -> CodelessWorld {
        let world = CodelessWorld(app: app) {
            $0.upload.concurrency = 1
            change(&$0)
        }
        world.startApp()
        world.tap(1, count: 10)
        world.answer(500, at: 2)
        world.tap(3, count: 21)
        #expect(world.memory == Array(0..<31))
        return world
    }

    @Test("SIGKILL loses both stages, parts on their way too")
    func kill() {
        let world = loaded()
        world.act(4, .kill)
        #expect(world.deaths == 1)
        #expect(world.sequences(.lost(.killed)) == Array(0..<31))
        #expect(world.device.storedCount == 0)
        world.act(5, .launch(passive: false), .enterForeground)
        #expect(world.uploads.count == 2)
    }

    @Test("an exception writes both stages to one file, which the next cold start uploads")
    func crash() {
        let world = loaded()
        world.act(4, .crash(reason: 0))
        #expect(world.fates.isEmpty)
        #expect(world.files == [Array(0..<31)])
        #expect(world.memory == [])
        world.act(10, .launch(passive: true))
        #expect(world.uploadedSequences.last == Array(0..<31))
        #expect(world.plannedSeconds.last == 10)
        world.answer(200, at: 11)
        #expect(world.files == [])
        #expect(world.sequences(.delivered) == Array(0..<31))
        // Once from memory and once from the file; the part that waited and the rest, once.
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[15]?.attempts == 2)
        #expect(world.fates[30]?.attempts == 1)
    }

    @Test("a termination with notice writes the file, too")
    func termination() {
        var app = AppDescription.codelessForTests
        app.terminationNotice = 1
        let world = loaded(app: app)
        world.act(4, .enterBackground)
        world.act(5, .kill)
        #expect(world.deaths == 1)
        #expect(world.files == [Array(0..<31)])
        #expect(world.sequences(.lost(.killed)) == [])
    }

    @Test("a part that was accepted while its process died is a duplicate under another eventsID")
    func duplicate() {
        let world = loaded()
        let before = world.batch(1)
        #expect(before.events.map(\.bsID) == (10..<20).map { "17-\($0)" })
        world.act(4, .crash(reason: 0))
        world.act(5, .launch(passive: false))
        let after = world.batch(2)
        #expect(after.events.map(\.bsID).filter(before.events.map(\.bsID).contains).count == 10)
        #expect(after.eventsID != before.eventsID)
        // Each upload of the file is another batch to the collector.
        world.fail(.reset, at: 6)
        world.act(7, .enterBackground)
        #expect(world.batch(3).eventsID != after.eventsID)
        #expect(world.batch(3).events.map(\.bsID) == after.events.map(\.bsID))
    }

    @Test("the corrected SDK keeps each part in a file of its own, under its eventsID")
    func persistedID() {
        let world = loaded { $0.persistEventsID = true }
        let ids = [world.batch(0).eventsID, world.batch(1).eventsID]
        world.act(4, .crash(reason: 0))
        #expect(
            world.files == [Array(0..<10), Array(10..<20), Array(20..<30), [30]])
        world.act(5, .launch(passive: false))
        for upload in 2..<6 { world.answer(200, at: Double(4 + upload), upload: UInt32(upload)) }
        #expect((2..<4).map { world.batch($0).eventsID } == ids)
        #expect(Set((2..<6).map { world.batch($0).eventsID }).count == 4)
        #expect(world.sequences(.delivered) == Array(0..<31))
    }

    /// Three processes that crashed, with one file of two events each.
    private func threeFiles(change: (inout CodelessRules) -> Void = { _ in }) -> CodelessWorld {
        let world = CodelessWorld {
            $0.upload.onLaunch = false
            change(&$0)
        }
        for second in [0.0, 10, 20] {
            world.act(second, .launch(passive: false), .enterForeground)
            world.tap(second + 1, count: 2)
            world.act(second + 2, .crash(reason: 0))
        }
        #expect(world.files == [[0, 1], [2, 3], [4, 5]])
        return world
    }

    @Test("files are uploaded one by one; each success begins the next")
    func oneByOne() {
        let world = threeFiles { $0.upload.onLaunch = true }
        // The cold starts have tried the first file already.
        let tried = world.uploads.count
        world.act(30, .launch(passive: false), .enterForeground)
        #expect(world.uploads.count == tried + 1)
        world.answer(200, at: 31)
        world.answer(204, at: 32)
        #expect(world.openUploads.count == 1)
        world.answer(200, at: 33)
        #expect(world.files == [])
        #expect(world.uploadedSequences.suffix(3) == [[0, 1], [2, 3], [4, 5]])
        #expect(world.plannedSeconds.suffix(3) == [30, 31, 32])
    }

    @Test("while a file is being uploaded, triggers do nothing; parts go their own way")
    func guarded() {
        let world = threeFiles()
        world.act(30, .launch(passive: false), .enterForeground)
        world.act(31, .enterBackground)
        #expect(world.uploads.count == 1)
        world.act(32, .enterForeground)
        world.tap(33, count: 10)
        #expect(world.uploadedSequences == [[0, 1], Array(6..<16)])
        world.act(34, .enterBackground)
        #expect(world.uploads.count == 2)
    }

    @Test("a file that the collector refuses blocks all others, at every trigger")
    func poison() {
        let world = threeFiles()
        world.act(30, .launch(passive: false), .enterForeground)
        for round in 0..<5 {
            world.act(40 + Double(10 * round), .enterBackground)
            world.answer(413, at: 41 + Double(10 * round))
            world.act(42 + Double(10 * round), .enterForeground)
            world.answer(413, at: 43 + Double(10 * round))
        }
        #expect(world.uploads.count == 10)
        #expect(world.uploadedSequences.allSatisfy { $0 == [0, 1] })
        #expect(world.files == [[0, 1], [2, 3], [4, 5]])
        #expect(world.fates.isEmpty)
    }

    @Test("cold start, foreground and background each start the uploader, as their rules say")
    func triggers() {
        for (launch, foreground, background) in [
            (true, false, false), (false, true, false), (false, false, true),
        ] {
            let world = threeFiles {
                $0.upload.onForeground = foreground
                $0.upload.onBackground = background
            }
            world.system = CodelessSystem(
                plan: world.system.plan,
                rules: {
                    var rules = world.system.rules
                    rules.upload.onLaunch = launch
                    return rules
                }())
            world.act(30, .launch(passive: false), .enterForeground)
            #expect(world.uploads.count == (launch ? 1 : 0))
            if launch { world.fail(.reset, at: 31) }
            world.act(32, .enterBackground)
            #expect(world.uploads.count == (launch || background ? 1 : 0))
            if background { world.fail(.reset, at: 33) }
            world.act(34, .enterForeground)
            #expect(world.uploads.count == 1)
        }
    }

    @Test("a file outlives the process that uploads it")
    func killDuringUpload() {
        let world = threeFiles()
        world.act(30, .launch(passive: false), .enterForeground)
        world.act(31, .enterBackground)
        world.act(32, .kill)
        #expect(world.files.count == 3)
        world.act(33, .launch(passive: false), .enterForeground, .enterBackground)
        #expect(world.uploadedSequences == [[0, 1], [0, 1]])
        world.finish()
        #expect(world.sequences(.pending(.inFlight)) == [0, 1])
        #expect(world.sequences(.pending(.stored)) == [2, 3, 4, 5])
    }

    @Test("events from before the run are in files of as many as a part has")
    func prefill() {
        let world = CodelessWorld { $0.storage.prefill = 25 }
        #expect(world.files == [Array(0..<10), Array(10..<20), Array(20..<25)])
        world.act(0, .launch(passive: false))
        let batch = world.batch(0)
        #expect(batch.events.map(\.name) == Array(repeating: "PageShow", count: 10))
        #expect(batch.events.first?.time == (ManualWorld.start - .seconds(750)).milliseconds)
    }

    private func disk(_ failure: DiskFailure) -> DiskSchedule {
        DiskSchedule([
            DiskSchedule.Entry(
                from: ManualWorld.start + .seconds(10), until: ManualWorld.start + .seconds(20),
                failure, share: 1, number: 0)
        ])
    }

    @Test("what cannot be written at the end is lost", arguments: [DiskFailure.full, .readOnly])
    func noRoom(failure: DiskFailure) {
        let world = CodelessWorld(disk: disk(failure))
        world.startApp()
        world.tap(11, count: 3)
        world.act(12, .crash(reason: 0))
        #expect(world.sequences(.lost(.storageError)) == [0, 1, 2])
        #expect(world.files == [])
    }

    @Test("a file that cannot be deleted is sent again, and not counted again")
    func cannotDelete() {
        let world = CodelessWorld(disk: disk(.readOnly)) { $0.storage.prefill = 15 }
        world.act(11, .launch(passive: false), .enterForeground)
        world.answer(200, at: 12)
        #expect(world.sequences(.delivered).isEmpty)
        #expect(world.openUploads == [])
        world.act(21, .enterBackground)
        #expect(world.uploadedSequences == [Array(0..<10), Array(0..<10)])
        world.answer(200, at: 22)
        world.answer(200, at: 23)
        #expect(world.files == [])
        #expect(world.sequences(.delivered) == Array(0..<15))
        #expect(world.fates[0]?.attempts == 2)
        #expect(world.fates[0]?.ackedAt == world.time(12))
        #expect(world.fates[14]?.attempts == 1)
    }

    @Test("damaged files are lost, but for what is on its way")
    func corrupt() {
        let world = CodelessWorld(disk: disk(.corrupt)) { $0.storage.prefill = 25 }
        world.act(9, .launch(passive: false), .enterForeground)
        world.run(to: 11)
        #expect(world.sequences(.lost(.storageError)) == Array(10..<25))
        world.answer(200, at: 12)
        #expect(world.sequences(.delivered) == Array(0..<10))
        #expect(world.files == [])
        let other = CodelessWorld(disk: disk(.corrupt)) { $0.storage.prefill = 5 }
        other.act(9, .launch(passive: false))
        other.fail(.timedOut, at: 12)
        #expect(other.sequences(.lost(.storageError)) == Array(0..<5))
    }
}
