import AppModel
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
        var skew = Interval.zero
        /// `$time` from super properties (4.x), in milliseconds.
        var time: Int64?
        /// Whether super properties give `project` or `token` (4.x).
        var hasLifted = false
        var identity = SensorsBytes()
        var originalID = SensorsBytes()
        var lib = SensorsBytes()
        var webLib = SensorsBytes()
        var common = SensorsBytes()
        var location = SensorsBytes()
        var deviceID = SensorsBytes()
    }

    /// The view, behind a pointer that never changes: reading it needs no check of exclusive access.
    private let view: UnsafeMutablePointer<View>
    /// Of the device that the block was made for last.
    private var traits: SensorsTraits?
    /// Holds the pieces of the view.
    private let arena = SensorsArena()
    private var epoch = SensorsEpoch()
    private var properties = RandomStream(key: 0)

    /// `"distinct_id":"…",` and, in 4.x, login id, anonymous id and identities.
    private var identity = WireBuffer()
    /// `distinct_id` without quotes, for natural keys.
    private(set) var distinctID = WireBuffer()
    /// `"original_id":"…",`.
    private var originalID = WireBuffer()
    /// `,"lib":{…,` up to where templates differ.
    private var lib = WireBuffer()
    private var webLib = WireBuffer()
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

    init() {
        view = .allocate(capacity: 1)
        view.initialize(to: View())
    }

    deinit {
        view.deinitialize(count: 1)
        view.deallocate()
    }

    /// Makes the block for a device under an epoch, unless it is that already.
    @inline(__always)
    func prepare(
        index: Int, epoch: SensorsEpoch, traits: () -> SensorsTraits, book: SensorsRecipeBook
    ) -> UnsafePointer<View> {
        if view.pointee.index != index || view.pointee.epoch != epoch {
            let known = self.traits.flatMap { $0.index == index ? $0 : nil }
            make(index: index, epoch: epoch, traits: known ?? traits(), book: book)
        }
        return UnsafePointer(view)
    }

    @inline(never)
    private func make(
        index: Int, epoch: SensorsEpoch, traits: SensorsTraits, book: SensorsRecipeBook
    ) {
        self.epoch = epoch
        self.traits = traits
        properties = book.streams.stream(.properties, index: index)
        writeIdentity(traits, isNew: book.isNew)
        deviceID.removeAll()
        deviceID.append("\"$device_id\":\"")
        traits.device.append(to: &deviceID)
        deviceID.append("\",")
        writeCommon(traits, book)
        writeLocation(traits, isNew: book.isNew, isOn: book.rules.collectsLocation)
        arena.removeAll()
        view.pointee = View(
            index: index, epoch: epoch,
            limit: identity.count + originalID.count + lib.count + webLib.count
                + common.count + location.count + deviceID.count + lifted.reduce(0) { $0 + $1.json.count },
            properties: properties, trackIdentifiers: book.streams.stream(.trackIdentifiers, index: index),
            skew: traits.clockSkew, time: time, hasLifted: !lifted.isEmpty, identity: arena.keep(identity),
            originalID: arena.keep(originalID), lib: arena.keep(lib), webLib: arena.keep(webLib),
            common: arena.keep(common), location: arena.keep(location), deviceID: arena.keep(deviceID))
    }

    private func writeIdentity(_ traits: SensorsTraits, isNew: Bool) {
        var anonymous = WireBuffer(capacity: 36)
        traits.anonymousID(generation: epoch.anonymousGeneration).append(to: &anonymous)
        distinctID.removeAll()
        if let account = epoch.account {
            traits.appendLoginID(account, to: &distinctID)
        } else {
            distinctID.append(contentsOf: anonymous)
        }
        originalID.removeAll()
        Self.append("\"original_id\":\"", anonymous, "\",", to: &originalID)
        identity.removeAll()
        Self.append("\"distinct_id\":\"", distinctID, "\",", to: &identity)
        guard isNew else { return }
        if epoch.account != nil { Self.append("\"login_id\":\"", distinctID, "\",", to: &identity) }
        Self.append("\"anonymous_id\":\"", anonymous, "\",", to: &identity)
        identity.append("\"identities\":{\"$identity_idfv\":\"")
        traits.device.append(to: &identity)
        identity.append(UInt8(ascii: "\""))
        if epoch.anonymousGeneration > 0 {
            Self.append(",\"$identity_anonymous_id\":\"", anonymous, "\"", to: &identity)
        }
        if epoch.account != nil {
            Self.append(",\"$identity_login_id\":\"", distinctID, "\"", to: &identity)
        }
        identity.append("},")
    }

    private static func append(
        _ before: StaticString, _ text: borrowing WireBuffer, _ after: StaticString,
        to buffer: inout WireBuffer
    ) {
        buffer.append(before)
        buffer.append(contentsOf: text)
        buffer.append(after)
    }

    // MARK: Automatic and super properties

    private func writeCommon(_ traits: SensorsTraits, _ book: SensorsRecipeBook) {
        common.removeAll()
        members.removeAll(keepingCapacity: true)
        present = Array(repeating: false, count: book.keys.count)
        lifted.removeAll()
        time = nil
        let supers = superMembers(traits, book)
        for member in supers { present[member.key] = true }
        let versions = book.plan.app.versions
        let version = versions.indices.contains(Int(epoch.appVersion)) ? versions[Int(epoch.appVersion)] : ""
        for (key, json) in automatic(traits, version: version, book) where key != nil {
            guard let key, !present[key] || json.isForced else { continue }
            present[key] = true
            common.append(contentsOf: json.bytes)
            members.append((key, common.count))
        }
        for member in supers where !Self.forced.contains(member.text) {
            common.append(contentsOf: member.json)
            members.append((member.key, common.count))
        }
        // A super property $app_version stands in lib as well.
        let own = supers.last { $0.text == "$app_version" }.map(\.json)
        writeLib(version: own ?? SensorsFragment("$app_version", version).bytes, book)
    }

    /// Automatic keys that super properties do not override.
    private static let forced: Set<String> = ["$network_type", "$wifi", "$device_id"]

    private func automatic(
        _ traits: SensorsTraits, version: String, _ book: SensorsRecipeBook
    ) -> [(key: Int?, json: (bytes: [UInt8], isForced: Bool))] {
        var result: [(key: Int?, json: (bytes: [UInt8], isForced: Bool))] = []
        func add(_ key: String, _ fragment: SensorsFragment) {
            result.append((book.keys.known(key), (fragment.bytes, Self.forced.contains(key))))
        }
        func add(_ key: String, _ text: String) { add(key, SensorsFragment(key, text)) }
        func add(_ key: String, _ number: Int) {
            var fragment = SensorsFragment()
            fragment.add(key, number)
            add(key, fragment)
        }
        let app = book.plan.app
        if book.isNew {
            add("$app_id", app.bundleIdentifier)
            add("$app_name", app.displayName)
            add("$timezone_offset", -Int(book.plan.utcOffset.nanoseconds / Interval.minutes(1).nanoseconds))
        }
        add("$manufacturer", "Apple")
        add("$model", traits.machine.description)
        add("$os", "iOS")
        add("$os_version", traits.osVersion.description)
        add("$screen_width", traits.screenWidth)
        add("$screen_height", traits.screenHeight)
        if let carrier = traits.carrierName { add("$carrier", carrier) }
        add("$app_version", version)
        add("$lib", "iOS")
        add("$lib_version", book.libVersion)
        add("$network_type", epoch.network.sensorsName(isNew: book.isNew))
        var wifi = SensorsFragment()
        wifi.add("$wifi", epoch.network == .wifi)
        add("$wifi", wifi)
        add("$device_id", traits.deviceID)
        return result
    }

    /// The super properties that are registered, in the order of their groups: of keys that differ
    /// in case at most, the one registered last, and none that a dynamic property has.
    private func superMembers(
        _ traits: SensorsTraits, _ book: SensorsRecipeBook
    ) -> [(key: Int, text: String, json: [UInt8])] {
        var result: [(key: Int, text: String, json: [UInt8])] = []
        // The time of the registration is not kept: dates in super properties are the run's start.
        let context = SensorsValue.Context(
            sequence: 0, subject: 0, capturedAt: book.plan.start + traits.clockSkew)
        for group in book.superGroups.indices.prefix(64) where epoch.superGroups >> UInt64(group) & 1 == 1 {
            var added: [(key: Int, text: String, json: [UInt8])] = []
            let pieces = book.superPieces[group]
            for (place, member) in book.superGroups[group].enumerated() {
                var buffer = WireBuffer()
                buffer.append(upTo: pieces.limit + SensorsCursor.slack) { memory in
                    var cursor = SensorsCursor(memory)
                    pieces.write(place, properties, context, to: &cursor)
                    return cursor.count
                }
                if !buffer.isEmpty { added.append((member.key, member.text, buffer.bytes)) }
            }
            guard book.isNew || added.count == book.superGroups[group].count else { continue }
            let names = Set(added.map { $0.text.lowercased() })
            result.removeAll { names.contains($0.text.lowercased()) }
            result += added
            if let time = book.time(book.plan.app.superProperties[group].properties) { self.time = time }
        }
        let dynamic = Set(book.dynamics.map { $0.text.lowercased() })
        result.removeAll { dynamic.contains($0.text.lowercased()) }
        if book.isNew { lift(&result) }
        if book.plan.tagsEvents { result.removeAll { $0.text == "bs_id" } }
        return result
    }

    /// 4.x takes `$project`, `$token` and `$time` from super properties too.
    private func lift(_ members: inout [(key: Int, text: String, json: [UInt8])]) {
        for member in members where member.text == "$project" || member.text == "$token" {
            let name = String(member.text.dropFirst())
            // `"$project":value,` becomes `,"project":value`.
            let value = member.json.dropFirst(member.text.utf8.count + 3).dropLast()
            lifted.append((name, Array(",\"\(name)\":".utf8) + value))
        }
        members.removeAll { ["$project", "$token", "$time", "$anonymization_id"].contains($0.text) }
    }

    private func writeLib(version: [UInt8], _ book: SensorsRecipeBook) {
        lib.removeAll()
        lib.append(",\"lib\":{\"$lib\":\"iOS\",\"$lib_version\":\"")
        lib.append(book.libVersion)
        lib.append("\",")
        lib.append(contentsOf: version)
        webLib.removeAll()
        webLib.append(",\"lib\":{\"$lib\":\"js\",\"$lib_version\":\"")
        webLib.append(SensorsWebBridge.scriptVersion)
        webLib.append("\",")
        webLib.append(contentsOf: version)
        webLib.append("\"$lib_method\":\"code\"")
    }

    private func writeLocation(_ traits: SensorsTraits, isNew: Bool, isOn: Bool) {
        location.removeAll()
        guard isOn else { return }
        var fragment = SensorsFragment()
        fragment.add("$latitude", Int(traits.latitude))
        fragment.add("$longitude", Int(traits.longitude))
        if isNew { fragment.add("$geo_coordinate_system", "WGS84") }
        location.append(contentsOf: fragment.bytes)
    }
}

extension NetworkKind {
    /// The value of `$network_type`. 1.x knows no 5G, whose name then stays what it began with.
    func sensorsName(isNew: Bool) -> String {
        switch self {
        case .none: "NULL"
        case .cellular2G: "2G"
        case .cellular3G: "3G"
        case .cellular4G: "4G"
        case .cellular5G: isNew ? "5G" : "NULL"
        case .wifi: "WIFI"
        }
    }
}
