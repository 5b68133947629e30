import DeviceSDK
import Timebase

/// Members of an object laid out for writing.
struct SensorsCompiledMembers {
    private struct Member {
        let name: SensorsBytes
        let key: Int
        let ordinal: UInt64
        var value: SensorsCompiledValue
    }

    /// Written to by nobody; see ``SensorsCompiledValue/write(_:_:to:)``.
    private let members: UnsafeMutablePointer<Member>
    let count: Int
    /// The most bytes that all members take.
    let limit: Int

    init(_ members: [SensorsMember], arena: SensorsArena) {
        let laidOut = members.map {
            Member(
                name: arena.keep($0.name), key: $0.key, ordinal: $0.ordinal,
                value: SensorsCompiledValue($0.value, arena: arena))
        }
        self.members = UnsafeMutablePointer(mutating: arena.keep(table: laidOut))
        count = members.count
        limit = laidOut.reduce(0) { $0 + $1.name.count + $1.value.limit + 1 }
    }

    /// The key of a member.
    func key(_ index: Int) -> Int { members[index].key }

    /// Writes `"key":value,` for a member, with a value drawn from the child of `stream` that
    /// belongs to it, or nothing if validation drops it.
    @inline(__always)
    func write(
        _ index: Int, _ stream: RandomStream, _ context: borrowing SensorsValue.Context,
        to cursor: inout SensorsCursor
    ) {
        let start = cursor.count
        cursor.put(members[index].name)
        var own = stream.child(members[index].ordinal)
        if members[index].value.write(&own, context, to: &cursor) {
            cursor.put(byte: UInt8(ascii: ","))
        } else {
            cursor.truncate(to: start)
        }
    }

    /// Writes all members.
    @inline(__always)
    func writeAll(
        _ stream: RandomStream, _ context: borrowing SensorsValue.Context, to cursor: inout SensorsCursor
    ) {
        var index = 0
        while index < count {
            write(index, stream, context, to: &cursor)
            index &+= 1
        }
    }
}
