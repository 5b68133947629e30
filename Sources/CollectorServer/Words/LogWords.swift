/// What is wrong with a log's file, to follow its name.
enum LogWords {
    static func damage(at offset: Int, after requests: Int) -> String {
        let before = requests == 1 ? "1 request was" : "\(requests) requests were"
        return
            "is damaged from byte \(offset) on: \(before) read before it, what follows cannot be, and the file is left "
            + "as it is; put a whole copy in its place, or move it away to go on without what follows"
    }

    static var foreign: String {
        "belongs to another store and holds acknowledged events of it; put it beside that one, or move it away (nothing "
            + "of it was read or deleted)"
    }
}
