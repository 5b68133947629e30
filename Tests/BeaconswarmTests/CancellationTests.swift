import Datasets
import Dispatch
import Synchronization
import Testing
import Timebase

@testable import Beaconswarm

@Suite("A program that plays a scenario")
struct CancellationTests {
    /// Does work in a task that is cancelled before the work begins, however busy the machine is.
    private func cancelled<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await work()
        }
        return try await task.value
    }

    /// Options of a run that leaves signals to the tests, with a folder of its own.
    private func options(_ bench: ScenarioBench, out: String = "run") throws -> RunOptions {
        var options = try bench.options()
        options.listensToSignals = false
        options.out = bench.scratch.file(out)
        return options
    }

    @Test("ends a run gracefully by cancelling its task", arguments: [PlayedWorld.live, .virtual])
    func cancelledRun(world: PlayedWorld) async throws {
        let bench = try ScenarioBench()
        var options = try options(bench)
        // Long enough that a run which does not end early is not over by itself.
        options.source.duration = "2m"
        let asked = options
        let result = try await cancelled { try await Beaconswarm.play(asked, in: world) }
        #expect(result.status == .interrupted && result.report.verdict == "interrupted")
        #expect(result.report.events.balance == 0)
        // Read again from the folder: it is whole.
        #expect(try RunReport(of: result.folder).verdict == "interrupted")
    }

    @Test("ends several simulations, a sweep and a search in the same way")
    func cancelledSeveral() async throws {
        let bench = try ScenarioBench()
        var options = try options(bench)
        options.seeds = "3"
        let simulations = options
        #expect(try await cancelled { try await Beaconswarm.simulate(simulations) } == .interrupted)
        let sweep = SweepOptions(
            run: try self.options(bench, out: "sweep"),
            axes: ["populations.0.sdk.upload.flushBulkSize=5,50"])
        #expect(try await cancelled { try await Beaconswarm.sweep(sweep) } == .interrupted)
        var capacity = CapacityOptions(run: try self.options(bench, out: "search"))
        capacity.isVirtual = true
        let search = capacity
        #expect(try await cancelled { try await Beaconswarm.capacity(search) } == .interrupted)
    }

    @Test("goes on beside simulations, however many there are, and ends them")
    func manySimulations() async throws {
        let bench = try ServicesBench()
        let gate = DispatchSemaphore(value: 0)
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        var services = SDKServices()
        services.database = { _ in
            // A simulation makes its first database and waits here, until this test goes on; for long if it never does.
            arrived.yield()
            _ = gate.wait(timeout: .now() + .seconds(60))
            gate.signal()
            return Scripted(habit: .sound)
        }
        var source = try bench.source(ServicesBench.scenario())
        source.register(services)
        var options = RunOptions(source: source)
        (options.quiet, options.listensToSignals) = (true, false)
        let runs = (0...Host.cores).map { number in
            options.out = bench.scratch.file("run-\(number)")
            return Task { [options] in
                defer { arrived.yield() }
                return try await Beaconswarm.play(options, in: .virtual)
            }
        }
        var waiting = arrivals.makeAsyncIterator()
        for _ in runs { _ = await waiting.next() }
        for run in runs { run.cancel() }
        gate.signal()
        for run in runs { #expect(try await run.value.status == .interrupted) }
        withExtendedLifetime(bench) {}
    }

    @Test("ends a live run that waits for its appointment, which sends and leaves nothing")
    func cancelledAppointment() async throws {
        let bench = try ScenarioBench()
        var options = try options(bench)
        // Nobody waits for this one.
        let appointment = Host.now + .seconds(3600)
        options.at = appointment.text
        options.events = bench.scratch.file("lines.ndjson")
        let asked = options
        for play in [
            { _ = try await Beaconswarm.play(asked, in: .live) }, { _ = try await Beaconswarm.run(asked) },
        ] as [@Sendable () async throws -> Void] {
            let failed = try await failure { try await cancelled(play) }
            #expect(failed.code == .interrupted && failed.message.contains("--at \(appointment.text)"))
            for name in ["run", "lines.ndjson", "lines.ndjson.partial"] {
                #expect(!OutputFile.exists(bench.scratch.file(name)), "\(name)")
            }
        }
    }

    @Test("ends the making of a dataset, which goes on later")
    func cancelledDataset() async throws {
        let bench = try ScenarioBench()
        let folder = bench.scratch.file("data")
        var options = GenerateOptions(source: try bench.source(), out: folder)
        (options.quiet, options.listensToSignals) = (true, false)
        let asked = options
        #expect(try await cancelled { try await Beaconswarm.generate(asked) } == .interrupted)
        #expect(OutputFile.exists(folder) && !OutputFile.exists("\(folder)/\(DatasetOutput.successName)"))
        options.resumes = true
        #expect(try await Beaconswarm.generate(options) == .success)
    }

    @Test("ends a collector as a signal does")
    func cancelledCollector() async throws {
        let scratch = try Scratch()
        var options = CollectOptions(
            listen: "127.0.0.1:0", store: scratch.file("store.sqlite"), faults: nil)
        options.listensToSignals = false
        let asked = options
        #expect(try await cancelled { try await Beaconswarm.collect(asked) } == .success)
    }

    @Test("ends a merge, of which nothing is left")
    func cancelledMerge() async throws {
        let bench = try ScenarioBench()
        for part in 0..<2 {
            var options = try options(bench, out: "parts")
            options.shard = "\(part)/2"
            #expect(try await Beaconswarm.simulate(options) == .success)
        }
        var options = MergeOptions(folders: [bench.scratch.file("parts")], out: bench.scratch.file("all"))
        (options.quiet, options.listensToSignals) = (true, false)
        let asked = options
        let failed = try await failure { try await cancelled { try Beaconswarm.merge(asked) } }
        #expect(failed.code == .interrupted && !OutputFile.exists(asked.out))
        #expect(try Beaconswarm.merge(asked) == .success)
    }

    @Test("answers an end that is asked for while results are written, though no work was waited for")
    func written() async {
        // Before the work has begun, it would end the process.
        let interruption = Interruption(listens: false)
        await withCheckedContinuation { (told: CheckedContinuation<Void, Never>) in
            interruption.onRequestFromNowOn { told.resume() }
            interruption.request(atOnce: false)
        }
        #expect(interruption.isRequested && !interruption.isRepeated)
    }

    @Test("ends a merge of datasets until all is joined: then it comes to its end")
    func mergedDatasets() async throws {
        let bench = try ScenarioBench()
        for part in 0..<2 {
            var options = GenerateOptions(source: try bench.source(), out: bench.scratch.file("parts"))
            (options.quiet, options.listensToSignals) = (true, false)
            (options.formats, options.shard) = (["sqlite"], "\(part)/2")
            #expect(try await Beaconswarm.generate(options) == .success)
        }
        let folders = try DatasetMerge.found(in: [bench.scratch.file("parts")])
        var patience = 0
        while true {
            var options = MergeOptions(folders: folders, out: bench.scratch.file("all-\(patience)"))
            (options.quiet, options.listensToSignals) = (true, false)
            let looks = Atomic(0)
            let control = MergeControl(options) { [patience] in
                looks.add(1, ordering: .relaxed).newValue > patience
            }
            do throws(CommandFailure) {
                #expect(try DatasetMerge(options: options, control: control).run(folders) == .success)
                break
            } catch {
                #expect(error.code == .interrupted)
                #expect(!OutputFile.exists("\(options.out)/\(DatasetOutput.successName)"))
            }
            patience += 1
        }
        // Before it begins, before each part, and after the last.
        #expect(patience == 4)
    }

    @Test("is told of options for several live runs that simulations do not have")
    func repeated() async throws {
        let bench = try ScenarioBench()
        var (twice, rivals) = (try options(bench), try options(bench))
        twice.repeats = 2
        rivals.rivals = ["http://127.0.0.1:1/", "http://127.0.0.1:2/"]
        for (option, asked) in [("--repeat", twice), ("--ab", rivals)] {
            let failed = try await failure { _ = try await Beaconswarm.simulate(asked) }
            #expect(failed.code == .usage && failed.message.hasPrefix("\(option): is for live runs"))
            #expect(!OutputFile.exists(bench.scratch.file("run")))
        }
    }

    @Test("is told of options that ask for several runs, which have another report, or for another world")
    func several() async throws {
        func message(_ world: PlayedWorld, _ change: (inout RunOptions) -> Void) async throws -> String {
            let bench = try ScenarioBench()
            var options = try bench.options()
            change(&options)
            let asked = options
            let failed = try await failure { try await Beaconswarm.play(asked, in: world) }
            #expect(failed.code == .usage && !OutputFile.exists(bench.scratch.file("run")))
            return failed.message
        }
        #expect(try await message(.virtual) { $0.seeds = "3" }.contains("simulate(_:)"))
        #expect(try await message(.live) { $0.repeats = 2 }.contains("run(_:)"))
        for world in [PlayedWorld.live, .virtual] {
            #expect(try await message(world) { $0.shard = "0/2" }.contains("part"))
        }
        let live: [(String, (inout RunOptions) -> Void)] = [
            ("--at", { $0.at = "2026-12-01T12:00:00Z" }), ("--trace-devices", { $0.tracedDevices = "1" }),
            ("--max-rate", { $0.maximumRate = 5 }), ("--scrape", { $0.scrape = "http://127.0.0.1:1/" }),
            ("--scrape-only", { $0.scrapeOnly = "a*" }), ("--store", { $0.store = "kept.sqlite" }),
            ("--receipts", { $0.receipts = ["held.csv"] }), ("--repeat", { $0.repeats = 2 }),
            ("--ab", { $0.rivals = ["http://127.0.0.1:1/", "http://127.0.0.1:2/"] }),
        ]
        for (option, change) in live {
            #expect(try await message(.virtual, change).hasPrefix("\(option): is for live runs"), "\(option)")
        }
        #expect(try await message(.live) { $0.seeds = "3" }.hasPrefix("--seeds: is for simulations"))
        #expect(try await message(.live) { $0.bodies = .encode }.hasPrefix("--bodies: is for simulations"))
    }
}
