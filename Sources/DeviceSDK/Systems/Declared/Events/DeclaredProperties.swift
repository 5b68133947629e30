import AppModel
import DeviceSDK
import Timebase
import Wire

/// What the app's code hands over with an event, as JSON members laid out for writing.
struct DeclaredProperties {
    private struct Property {
        /// `,"price":`.
        var key: DeclaredBytes
        /// Where the key was written last.
        var occurrence: UnsafeMutablePointer<LastOccurrence>?
        /// The property's index among all of the event's, or its companion's, to which its draws belong.
        var ordinal: UInt64
        var value: DeclaredValue
    }

    /// Written to by nobody; see ``DeclaredValue/write(_:_:to:)``.
    private let properties: UnsafeMutablePointer<Property>
    private let count: Int
    /// The most bytes that all members take.
    let limit: Int

    /// - Parameter excluded: Names that do not count.
    init(
        _ rules: [PropertyRule], without excluded: Set<String>, app: AppDescription, sampler: PropertySampler,
        arena: DeclaredArena
    ) {
        let laidOut = zip(rules.draws, rules).filter { !excluded.contains($1.key) }.map { ordinal, rule in
            var key = WireBuffer(",")
            key.appendJSONString(rule.key)
            key.append(UInt8(ascii: ":"))
            return Property(
                key: arena.keep(key.bytes), occurrence: arena.occurrence(of: key.bytes), ordinal: ordinal,
                value: DeclaredValue(rule.generator, app, sampler, arena))
        }
        properties = arena.keep(table: laidOut)
        count = laidOut.count
        limit = laidOut.reduce(0) { $0 + $1.key.count + $1.value.limit }
    }

    /// Writes the properties as members.
    ///
    /// - Parameter stream: The event's own: the same values come out each time.
    func write(
        _ stream: RandomStream, _ context: borrowing PropertyContext, to cursor: inout DeclaredCursor
    ) {
        var index = 0
        while index < count {
            let key = properties[index].key
            cursor.note(properties[index].occurrence)
            if index == 0, cursor.isOpen {
                cursor.put(key.dropFirst)
            } else {
                cursor.put(key)
            }
            var own = stream.child(properties[index].ordinal)
            properties[index].value.write(&own, context, to: &cursor)
            index &+= 1
        }
    }
}
