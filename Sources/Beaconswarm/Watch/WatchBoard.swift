import Reporting

/// The parts of a page as they were drawn last, each with the version in which it became what it is: whoever has seen a
/// version gets what changed since.
struct WatchBoard {
    /// Names this board among those of other processes, whose versions mean something else.
    let name: String
    /// Counts up with every change.
    private(set) var version = 0
    private var parts: [(part: LivePage.Part, version: Int)] = []

    init(name: String) { self.name = name }

    /// Takes parts over; what did not change keeps its version.
    mutating func take(_ news: [LivePage.Part]) {
        var hasChanged = false
        for part in news {
            let index = parts.firstIndex { $0.part.id == part.id }
            if let index, parts[index].part.html == part.html { continue }
            hasChanged = true
            if let index { parts[index] = (part, version + 1) } else { parts.append((part, version + 1)) }
        }
        if hasChanged { version += 1 }
    }

    /// What changed since a version, in the order of the page.
    func parts(since seen: Int) -> [LivePage.Part] {
        parts.filter { $0.version > seen }.map(\.part)
    }

    /// The id of a state, for events.
    var id: String { "\(name)-\(version)" }

    /// The version that an id tells; 0, before everything, for that of another board and for nonsense.
    func version(of id: String?) -> Int {
        let prefix = name + "-"
        guard let id, id.hasPrefix(prefix), let seen = Int(id.dropFirst(prefix.count)),
            (0...version).contains(seen)
        else { return 0 }
        return seen
    }
}
