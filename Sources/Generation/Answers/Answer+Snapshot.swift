import Snapshots
import Wire

extension Answer.Value: Snapshotable {
    func write(to writer: inout SnapshotWriter) {
        switch self {
        case .number(let number):
            writer.write(UInt64(0))
            writer.write(number)
        case .text(let text):
            writer.write(UInt64(1))
            writer.write(text.text)
        case .share(let share):
            writer.write(UInt64(2))
            writer.write(share.bitPattern)
        case .none: writer.write(UInt64(3))
        }
    }

    init(from reader: inout SnapshotReader) throws(SnapshotError) {
        switch try reader.unsigned() {
        case 0: self = .number(try reader.signed())
        case 1: self = .text(try reader.text())
        case 2: self = .share(Double(bitPattern: try reader.unsigned()))
        case 3: self = .none
        default: throw reader.impossible
        }
    }
}
