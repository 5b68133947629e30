import DeviceSDK

/// Which part of a run a process plays, `I/N`: of each population, the devices whose index divided by N leaves I. So the
/// parts are alike, whatever the scenario does to its devices in turn.
struct PartNumber: Hashable, Comparable, Sendable {
    /// From 0, as engines of jobs count.
    var index: Int
    var count: Int

    /// More parts than anyone has machines, and few enough for their names.
    private static let limit = 99_999

    init(index: Int, count: Int) { (self.index, self.count) = (index, count) }

    /// All devices.
    static let whole = PartNumber(index: 0, count: 1)

    /// Reads the value of `--shard`.
    ///
    /// - Throws: ``CommandFailure`` with code 64 that says what is allowed.
    init(_ text: String) throws(CommandFailure) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { part in part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil }
        guard numbers.count == 2, let index = numbers[0], let count = numbers[1] else {
            throw CommandFailure(
                .usage,
                "--shard: found \"\(text)\", allowed is I/N: part I, counted from 0, of N; such as 0/16")
        }
        guard (1...PartNumber.limit).contains(count), index < count else {
            let allowed =
                (1...PartNumber.limit).contains(count)
                ? "parts are counted from 0: of \(count), the last is \(count - 1)/\(count)"
                : "a run has 1 to \(PartNumber.limit) parts"
            throw CommandFailure(.usage, "--shard: found \"\(text)\"; \(allowed)")
        }
        self.init(index: index, count: count)
    }

    var text: String { "\(index)/\(count)" }

    /// What any part of so many is.
    static func words(one count: Int) -> String { count == 1 ? "the only part" : "one of \(count) parts" }

    /// The name of its folder, the same length for all parts of a run: `part-003-of-016`.
    var folderName: String {
        let width = max(3, String(count).count)
        func padded(_ number: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: width - digits.count) + digits
        }
        return "part-\(padded(index))-of-\(padded(count))"
    }

    var share: ShardShare { ShardShare(index: index, count: count) }

    static func < (left: PartNumber, right: PartNumber) -> Bool {
        (left.count, left.index) < (right.count, right.index)
    }
}
