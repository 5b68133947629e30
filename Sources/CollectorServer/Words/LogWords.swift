/// What is wrong with a log's file, to follow its name.
enum LogWords {
    static func damage(at offset: Int, after requests: Int) -> String {
        let before = requests == 1 ? "1 request was" : "\(requests) requests were"
        return
            "is damaged from byte \(offset) on: \(before) read before it, what follows cannot be, and the file is left "
            + "as it is; put a whole copy in its place, or move it away to go on without what follows"
    }

    static var foreign: String {
        "belongs to another store, or to this one as it was before a collector went on without it, and holds acknowledged "
            + "events; put it beside the file that it was beside, or move it away (nothing of it was read or deleted)"
    }
}
