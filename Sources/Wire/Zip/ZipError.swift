/// Why bytes are not a zip archive that may be read, or files none that may be written.
package enum ZipError: Error, Equatable, CustomStringConvertible {
    /// There is no end record in the last 65,557 bytes, with a comment that ends with the archive.
    case notAnArchive
    /// Breaks a rule of the format in what is named and begins at this offset.
    case malformed(String, offset: Int)
    /// A part of the format that is not read here.
    case unsupported(String, offset: Int)
    case tooManyEntries(Int, limit: Int)
    /// A name of more bytes than the limit; `entry` counts from 0, as below.
    case nameTooLong(Int, limit: Int, entry: Int)
    /// A name that is not UTF-8, is empty, `.` or `..`, or has a separator or a control character.
    case unsafeName(String, entry: Int)
    case duplicateName(String)
    /// All entries together hold more bytes than the limit; found is the sum up to this entry.
    case tooLarge(Int, limit: Int, entry: Int)
    /// An entry holds more times its compressed bytes than the limit.
    case suspiciousRatio(Int, limit: Int, name: String)
    /// Two entries share bytes of the archive.
    case overlap(String, String)
    /// An entry's stream is broken, or longer or shorter than the directory says.
    case corruptContent(String)
    /// An entry's content has another CRC-32 than the directory says.
    case wrongChecksum(String)

    package var description: String {
        switch self {
        case .notAnArchive: "not a zip archive: it has no end record"
        case .malformed(let what, let offset): "\(what) at byte \(offset) is malformed"
        case .unsupported(let what, let offset): "\(what) at byte \(offset) is not supported"
        case .tooManyEntries(let found, let limit): "\(found) entries; \(limit) are allowed"
        case .nameTooLong(let found, let limit, let entry):
            "entry \(entry) has a name of \(found) bytes; \(limit) are allowed"
        case .unsafeName(let name, let entry):
            "entry \(entry) is named \(name.debugDescription); allowed are names without separators and controls"
        case .duplicateName(let name): "two entries are named \(name.debugDescription)"
        case .tooLarge(let found, let limit, let entry):
            "the entries up to \(entry) hold \(found) bytes; \(limit) are allowed in all"
        case .suspiciousRatio(let ratio, let limit, let name):
            "entry \(name.debugDescription) expands \(ratio)-fold; \(limit)-fold is allowed"
        case .overlap(let first, let second):
            "entries \(first.debugDescription) and \(second.debugDescription) share bytes"
        case .corruptContent(let name):
            "entry \(name.debugDescription) has a broken stream or another length than the directory says"
        case .wrongChecksum(let name):
            "entry \(name.debugDescription) has another checksum than the directory says"
        }
    }
}
