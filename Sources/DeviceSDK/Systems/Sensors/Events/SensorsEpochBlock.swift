import AppModel
import DeviceSDK
import Timebase
import Wire
import World

/// What all events of one device under one epoch have in common, as finished JSON. A batch has few
/// epochs, so it is made once and copied for each event.
final class SensorsEpochBlock {
    /// What an event needs of the block: plain values, valid until the next `prepare`.
    struct View {
        /// What the block was made for.
        var index = -1
        var epoch = SensorsEpoch()
        /// The most bytes that an event takes from here.
        var limit = 0
        /// The device's streams that events draw from.
        var properties = RandomStream(key: 0)
        var trackIdentifiers = RandomStream(key: 0)
        var bindings = RandomStream(key: 0)
        var skew = Interval.zero
        /// How far local time is ahead of UTC.
        var zone = Interval.zero
        /// `$time` from super properties (4.x), in milliseconds.
        var time: Int64?
        /// Whether super properties give `project` or `token` (4.x).
        var hasLifted = false
        var identity = SensorsBytes()
        /// `"distinct_id":"…",` alone.
        var distinctID = SensorsBytes()
        var originalID = SensorsBytes()
        var lib = SensorsBytes()
        /// Of what has no common properties.
        var plainLib = SensorsBytes()
        var webLib = SensorsBytes()
        var common = SensorsBytes()
        var location = SensorsBytes()
        var deviceID = SensorsBytes()
    }

    /// The view, behind a pointer that never changes: reading it needs no check of exclusive access.
    private let view: UnsafeMutablePointer<View>
    /// In one property, so that making a block is one access to the class.
    private var texts = SensorsEpochTexts()

    init() {
        view = .allocate(capacity: 1)
        view.initialize(to: View())
    }

    deinit {
        view.deinitialize(count: 1)
        view.deallocate()
    }

    /// `distinct_id` without quotes, for natural keys.
    var distinctID: WireBuffer { texts.distinctID }
    /// The members of the view's `common`: key and where it ends.
    var members: [(key: Int, end: Int)] { texts.members }
    /// By key: whether `common` has it.
    var present: [Bool] { texts.present }
    /// `project` and `token` from super properties (4.x), each with a comma before it.
    var lifted: [(text: String, json: [UInt8])] { texts.lifted }

    /// Makes the block for a device under an epoch in a zone, unless it is that already.
    @inline(__always)
    func prepare(
        index: Int, epoch: SensorsEpoch, zone: Interval, traits: () -> SensorsTraits,
        catalogue: SensorsEventCatalogue
    ) -> UnsafePointer<View> {
        if view.pointee.index != index || view.pointee.epoch != epoch || view.pointee.zone != zone {
            let known = texts.traits.flatMap { $0.index == index ? $0 : nil }
            view.pointee = texts.make(
                index: index, epoch: epoch, zone: zone, traits: known ?? traits(), catalogue: catalogue)
        }
        return UnsafePointer(view)
    }
}

/// The texts of a block and how they are made. The buffers are used again.
struct SensorsEpochTexts {
    /// Of the device that the block was made for last.
    private(set) var traits: SensorsTraits?
    /// Holds the fragments of the view.
    private let arena = SensorsArena()
    private let occurrences = SensorsEpochOccurrences()
    var epoch = SensorsEpoch()
    private var zone = Interval.zero
    private var properties = RandomStream(key: 0)

    /// `"distinct_id":"…",` and, in 4.x, login id, anonymous id and identities.
    var identity = WireBuffer()
    /// Where `"distinct_id":"…",` ends in it.
    var distinctEnd = 0
    /// `distinct_id` without quotes, for natural keys.
    var distinctID = WireBuffer()
    /// `"original_id":"…",`.
    var originalID = WireBuffer()
    /// `,"lib":{…,` up to where templates differ.
    var lib = WireBuffer()
    /// The same for what has no common properties; empty if it is the same.
    var plainLib = WireBuffer()
    var webLib = WireBuffer()
    /// Automatic and super properties, each with a comma after it.
    private(set) var common = WireBuffer()
    /// The members of `common`: key and where it ends.
    private(set) var members: [(key: Int, end: Int)] = []
    /// By key: whether `common` has it.
    private(set) var present: [Bool] = []
    /// Opt-in properties that are written after the caller's.
    private var location = WireBuffer()
    /// `"$device_id":"…",`.
    private var deviceID = WireBuffer()
    /// `project` and `token` from super properties (4.x), each with a comma before it.
    private(set) var lifted: [(text: String, json: [UInt8])] = []
    private var time: Int64?
    private var superJSON = WireBuffer()

    /// Makes the block for a device under an epoch in a zone.
    @inline(never)
    mutating func make(
        index: Int, epoch: SensorsEpoch, zone: Interval, traits: SensorsTraits,
        catalogue: SensorsEventCatalogue
    ) -> SensorsEpochBlock.View {
        self.epoch = epoch
        self.zone = zone
        self.traits = traits
        properties = catalogue.streams.stream(.properties, index: index)
        writeIdentity(traits, catalogue)
        deviceID.removeAll()
        deviceID.append("\"$device_id\":\"")
        traits.device(ofInstallation: epoch.installation).append(to: &deviceID)
        deviceID.append("\",")
        arena.removeAll()
        let ownID = arena.keep(deviceID)
        let identity = arena.keep(identity, occurrence: occurrences[.identity])
        writeCommon(traits, catalogue, ownID: ownID)
        writeLocation(traits, isVersion4: catalogue.isVersion4, isOn: catalogue.rules.collectsLocation)
        let commonLib = arena.keep(lib, occurrence: occurrences[.lib])
        return SensorsEpochBlock.View(
            index: index, epoch: epoch,
            limit: identity.count + originalID.count + lib.count + plainLib.count + webLib.count
                + common.count + location.count + deviceID.count + lifted.reduce(0) { $0 + $1.json.count },
            properties: properties,
            trackIdentifiers: catalogue.streams.stream(.trackIdentifiers, index: index),
            bindings: traits.bindings, skew: traits.clockSkew, zone: zone, time: time,
            hasLifted: !lifted.isEmpty,
            identity: identity, distinctID: identity.part(0..<distinctEnd),
            originalID: arena.keep(originalID), lib: commonLib,
            plainLib: plainLib.isEmpty ? commonLib : arena.keep(plainLib),
            webLib: arena.keep(webLib, occurrence: occurrences[.webLib]),
            common: arena.keep(common, occurrence: occurrences[.common]),
            location: arena.keep(location, occurrence: occurrences[.location]), deviceID: ownID)
    }

    // MARK: Automatic and super properties

    /// A super property of the device.
    private struct Super {
        var key: Int
        /// Equal for names that differ in case at most.
        var fold: Int
        var text: String
        var json: [UInt8]
    }

    private mutating func writeCommon(
        _ traits: SensorsTraits, _ catalogue: SensorsEventCatalogue, ownID: SensorsBytes
    ) {
        common.removeAll()
        members.removeAll(keepingCapacity: true)
        present = Array(repeating: false, count: catalogue.keys.count)
        lifted.removeAll()
        time = nil
        let ownZone = arena.keep(SensorsAutomaticProperties.zone(zone))
        let supers = superMembers(traits, catalogue)
        for member in supers { present[member.key] = true }
        for property in catalogue.automatic.properties where !present[property.key] || property.isForced {
            let json = catalogue.automatic.json(
                property.source, traits, epoch, deviceID: ownID, zone: ownZone)
            guard json.count > 0 else { continue }
            present[property.key] = true
            common.append(json)
            members.append((property.key, common.count))
        }
        for member in supers where !SensorsAutomaticProperties.forced.contains(member.text) {
            common.append(contentsOf: member.json)
            members.append((member.key, common.count))
        }
        writeLibs(catalogue, ownVersion: supers.last(where: { $0.text == "$app_version" })?.json)
    }

    /// The super properties that are registered, in the order of their groups: of keys that differ
    /// in case at most, the one registered last, and none that a dynamic property has.
    private mutating func superMembers(
        _ traits: SensorsTraits, _ catalogue: SensorsEventCatalogue
    ) -> [Super] {
        guard epoch.superGroups != 0 else { return [] }
        var result: [Super] = []
        // The time of the registration is not kept: dates in super properties are the run's start.
        let context = SensorsValue.Context(
            sequence: 0, subject: 0, capturedAt: catalogue.plan.start + traits.clockSkew, zone: zone)
        for group in catalogue.superGroups.indices.prefix(64)
        where epoch.superGroups >> UInt64(group) & 1 == 1 {
            let before = result.count
            let members = catalogue.superMembers[group]
            let properties = properties
            for index in catalogue.superGroups[group].indices {
                superJSON.removeAll()
                superJSON.append(upTo: members.limit + SensorsCursor.slack) { memory in
                    var cursor = SensorsCursor(memory)
                    members.write(index, properties, context, to: &cursor)
                    return cursor.count
                }
                guard !superJSON.isEmpty else { continue }
                let member = catalogue.superGroups[group][index]
                result.append(
                    Super(
                        key: member.key, fold: catalogue.superFolds[group][index], text: member.text,
                        json: superJSON.bytes))
            }
            // 1.x does not register a dictionary with anything wrong in it.
            guard catalogue.isVersion4 || result.count - before == catalogue.superGroups[group].count else {
                result.removeLast(result.count - before)
                continue
            }
            let added = result[before...].map(\.fold)
            result = result[..<before].filter { !added.contains($0.fold) } + result[before...]
            if let time = catalogue.time(catalogue.plan.app.superProperties[group].properties) {
                self.time = time
            }
        }
        if !catalogue.dynamicFolds.isEmpty { result.removeAll { catalogue.dynamicFolds.contains($0.fold) } }
        if catalogue.isVersion4 { lift(&result) }
        if catalogue.plan.tagsEvents { result.removeAll { $0.text == "bs_id" } }
        return result
    }

    private static let liftedNames = ["$project", "$token", "$time", "$anonymization_id"]

    /// 4.x takes `$project`, `$token` and `$time` from super properties too.
    private mutating func lift(_ members: inout [Super]) {
        for member in members where member.text == "$project" || member.text == "$token" {
            let name = String(member.text.dropFirst())
            // `"$project":value,` becomes `,"project":value`.
            let value = member.json.dropFirst(member.text.utf8.count + 3).dropLast()
            lifted.append((name, Array(",\"\(name)\":".utf8) + value))
        }
        members.removeAll { Self.liftedNames.contains($0.text) }
    }

    private mutating func writeLocation(_ traits: SensorsTraits, isVersion4: Bool, isOn: Bool) {
        location.removeAll()
        guard isOn else { return }
        var fragment = SensorsFragment()
        fragment.add("$latitude", Int(traits.latitude))
        fragment.add("$longitude", Int(traits.longitude))
        if isVersion4 { fragment.add("$geo_coordinate_system", "WGS84") }
        location.append(contentsOf: fragment.bytes)
    }
}

extension NetworkKind {
    /// The value of `$network_type`. 1.x knows no 5G, whose name then stays what it began with.
    func sensorsName(isVersion4: Bool) -> String {
        switch self {
        case .none: "NULL"
        case .cellular2G: "2G"
        case .cellular3G: "3G"
        case .cellular4G: "4G"
        case .cellular5G: isVersion4 ? "5G" : "NULL"
        case .wifi: "WIFI"
        }
    }
}
