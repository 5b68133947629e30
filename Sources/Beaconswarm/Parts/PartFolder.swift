import Files
import Glibc

/// The folder of one attempt at a part of a run: `part-003-of-016/attempt-1` in the folder that all parts of the run
/// share.
///
/// It is whole once its file of state is there, which is written last and ends in its own sum. A process that is killed
/// leaves an attempt without one, and the next takes the next number: nothing is ever written over.
struct PartFolder: Hashable, Sendable {
    let path: String
    /// From 1.
    let attempt: Int

    static let stateName = "part.state"
    /// Lines of events, each after the time at which its event was sealed.
    static let eventsName = "events.sealed"
    static let beliefsName = "beliefs.txt"
    /// Why an attempt came to nothing, in words, where its process could still tell.
    static let reasonName = "reason.txt"
    private static let head = "beaconswarm.part/10\n"
    private static let attemptPrefix = "attempt-"

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Whether the part is one of a single simulation, or of several, that was played to its end.
    var isWhole: Bool { OutputFile.exists(file(PartFolder.stateName)) || isOfSeveral }
    var isOfSeveral: Bool { OutputFile.exists(file(LabPart.fileName)) }

    /// The folder in which all parts of a run meet.
    static func meeting(of options: RunOptions) throws(CommandFailure) -> String {
        guard let shared = options.out else {
            throw CommandFailure(.usage, "--shard wants --out: the folder in which all parts of the run meet")
        }
        return shared
    }

    /// The folder in which the attempt's part is with others; `nil` where the part's folder has another name.
    var shared: String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return PartFolder.shared(byPart: String(path[..<slash]))
    }

    /// The name of the folder of the attempt's part; `nil` where it is not told, or is another.
    var partName: String? {
        guard let name = path.split(separator: "/").dropLast().last, name.hasPrefix("part-") else {
            return nil
        }
        return String(name)
    }

    /// The folder in which a part's folder is with those of others; `nil` for a folder with another name.
    static func shared(byPart folder: String) -> String? {
        let name = folder.split(separator: "/").last ?? ""
        guard name.hasPrefix("part-") else { return nil }
        var shared = folder
        while shared.hasSuffix("/") { shared.removeLast() }
        shared.removeLast(name.count)
        while shared.count > 1, shared.hasSuffix("/") { shared.removeLast() }
        return shared.isEmpty ? "." : shared
    }

    /// Takes the next attempt at a part.
    ///
    /// - Throws: ``CommandFailure`` with code 64 if the part is there already, or the folder cannot be made.
    static func claim(_ part: PartNumber, in shared: String) throws(CommandFailure) -> PartFolder {
        try FileName.check(shared, of: "--out")
        let base = "\(shared)/\(part.folderName)"
        do { try Folder.make(base) } catch { throw CommandFailure(.usage, error) }
        for attempt in 1... {
            let folder = PartFolder(path: "\(base)/\(attemptPrefix)\(attempt)", attempt: attempt)
            // Made by one process alone, even where two have the same number.
            if mkdir(folder.path, 0o755) == 0 { return folder }
            guard errno == EEXIST else {
                throw OutputFile.failure("create the folder", folder.path, code: .usage)
            }
            if folder.isWhole {
                throw CommandFailure(
                    .usage,
                    "part \(part.text) is in \(folder.path) already; nothing was run: delete that folder to play "
                        + "the part again")
            }
        }
        preconditionFailure("numbers end")
    }

    /// Notes why the attempt came to nothing, as well as that can be done.
    func note(reason: String) {
        try? OutputFile.write(Array("\(reason)\n".utf8), to: file(PartFolder.reasonName))
    }

    /// Why the attempt came to nothing, if it is known.
    var reason: String? {
        guard let bytes = try? OutputFile.read(file(PartFolder.reasonName), failing: .usage, limit: 4096)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }

    /// Refuses a part that is there in two places, or is named twice. Attempts at it in one folder are none: of those
    /// that two processes ended, any will do.
    ///
    /// - Throws: ``CommandFailure`` with code 64.
    static func checkOnce(_ part: PartNumber, _ one: PartFolder, _ other: PartFolder) throws(CommandFailure) {
        func attempts(_ folder: PartFolder) -> Substring {
            folder.path[..<(folder.path.lastIndex(of: "/") ?? folder.path.endIndex)]
        }
        guard one.path == other.path || attempts(one) != attempts(other) else { return }
        throw CommandFailure(.usage, twice(part, one.path, other.path))
    }

    static func twice(_ part: PartNumber, _ one: String, _ other: String) -> String {
        "part \(part.text) is there twice: \(one)\(one == other ? ", named again" : " and \(other)"); name it once; nothing "
            + "was written"
    }

    // MARK: - Its state

    func write(_ state: PartState) throws(CommandFailure) {
        try OutputFile.write(
            StateFile.bytes(of: state, head: PartFolder.head), to: file(PartFolder.stateName))
    }

    /// Reads the state of a whole attempt.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a file that is cut, was changed, or is none.
    func read() throws(CommandFailure) -> PartState {
        var (state, sum): (PartState, String) = try StateFile.read(
            file(PartFolder.stateName), head: PartFolder.head, of: "a run's part",
            remedy: "delete \(path) and play the part again")
        state.live?.checksum = sum
        return state
    }

    // MARK: - Finding them

    /// The attempts in folders that a user names: each a folder of parts, of one part, or of an attempt.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for a folder without any, and for one that may not be read.
    static func found(in folders: [String]) throws(CommandFailure) -> [PartFolder] {
        var found: [PartFolder] = []
        for folder in folders {
            let inside = try attempts(in: folder)
            guard !inside.isEmpty else {
                let what =
                    OutputFile.exists(folder)
                    ? "no part of a run or of a dataset is in it" : "there is no such folder"
                throw CommandFailure(.usage, "\(folder): \(what)")
            }
            found += inside
        }
        return found
    }

    /// Whether there are attempts in a folder, or it is one.
    static func isAny(in folder: String) throws(CommandFailure) -> Bool {
        try !attempts(in: folder).isEmpty
    }

    /// What is in a folder. One that may not be read is not empty: what is in it is unknown.
    ///
    /// - Throws: ``CommandFailure`` with code 64 for that.
    static func names(in folder: String) throws(CommandFailure) -> [String] {
        do throws(FileFailure) {
            return try Folder.readableNames(in: folder).sorted()
        } catch {
            throw CommandFailure(.usage, "\(error); nothing was written")
        }
    }

    private static func attempts(in folder: String) throws(CommandFailure) -> [PartFolder] {
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        let names = try names(in: folder)
        let inside = names.filter { number(of: $0) != nil } + names.filter { $0.hasPrefix("part-") }
        // A folder of parts may have such a name, too.
        if inside.isEmpty, let attempt = number(of: name) {
            return [PartFolder(path: folder, attempt: attempt)]
        }
        var found: [PartFolder] = []
        for name in inside { found += try attempts(in: "\(folder)/\(name)") }
        return found
    }

    private static func number(of name: String) -> Int? {
        name.hasPrefix(attemptPrefix) ? Int(name.dropFirst(attemptPrefix.count)) : nil
    }
}
