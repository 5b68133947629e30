import AppModel
import DeviceSDK
import Wire

/// Preset keys that an event carries only at times, so that a super property of the same name
/// shows where they are missing.
struct SensorsOptionalKeys: OptionSet {
    let rawValue: UInt16
    static let title = SensorsOptionalKeys(rawValue: 1 << 0)
    static let url = SensorsOptionalKeys(rawValue: 1 << 1)
    static let referrer = SensorsOptionalKeys(rawValue: 1 << 2)
    static let referrerTitle = SensorsOptionalKeys(rawValue: 1 << 3)
    static let elementID = SensorsOptionalKeys(rawValue: 1 << 4)
    static let elementContent = SensorsOptionalKeys(rawValue: 1 << 5)
    static let elementPosition = SensorsOptionalKeys(rawValue: 1 << 6)
    static let duration = SensorsOptionalKeys(rawValue: 1 << 7)
    static let appState = SensorsOptionalKeys(rawValue: 1 << 8)

    static let names: [(key: String, bit: SensorsOptionalKeys)] = [
        ("$title", .title), ("$url", .url), ("$referrer", .referrer), ("$referrer_title", .referrerTitle),
        ("$element_id", .elementID), ("$element_content", .elementContent),
        ("$element_position", .elementPosition), ("event_duration", .duration), ("$app_state", .appState),
    ]
}

/// What hooks read from a screen and its controls, rendered once; each member ends with a comma.
struct SensorsScreenPresets {
    /// `$screen_name`, `$title`: of views and taps.
    let common: SensorsBytes
    /// `$url` of a view.
    let url: SensorsBytes
    /// `$referrer` and `$referrer_title` of the view that follows.
    let asReferrer: SensorsBytes
    /// `"$lib_detail":"Screen######"`.
    let libDetail: SensorsBytes
    let keys: SensorsOptionalKeys
    let urlKeys: SensorsOptionalKeys
    let referrerKeys: SensorsOptionalKeys
    let controls: UnsafePointer<SensorsControlPresets>
    let controlCount: Int
    /// The most bytes that an event takes from here, as its own screen and as the one before.
    let limit: Int

    /// - Parameter elements: What is read of its controls.
    init(
        screen: Screen, elements: [SensorsElement], version: SensorsRules.Version, arena: SensorsArena
    ) {
        let isVersion4 = version == .v4
        var fragment = SensorsFragment()
        fragment.add("$screen_name", screen.className)
        if !screen.title.isEmpty { fragment.add("$title", screen.title) }
        common = arena.keep(fragment.bytes)
        keys = screen.title.isEmpty ? [] : .title
        // 4.x falls back on the class name; 1.x reads getScreenUrl only.
        let address = screen.url.isEmpty && isVersion4 ? screen.className : screen.url
        url = arena.keep(SensorsFragment(optional: "$url", address).bytes)
        urlKeys = address.isEmpty ? [] : .url
        var referrer = SensorsFragment(optional: "$referrer", address)
        var referrerKeys: SensorsOptionalKeys = address.isEmpty ? [] : .referrer
        if isVersion4, !screen.title.isEmpty {
            referrer.add("$referrer_title", screen.title)
            referrerKeys.insert(.referrerTitle)
        }
        asReferrer = arena.keep(referrer.bytes)
        self.referrerKeys = referrerKeys
        libDetail = arena.keep(
            Array(SensorsFragment("$lib_detail", screen.className + "######").bytes.dropLast()))
        let controls = elements.map { SensorsControlPresets($0, arena: arena) }
        self.controls = arena.keep(table: controls)
        controlCount = controls.count
        limit =
            common.count + libDetail.count + max(url.count, asReferrer.count)
            + (controls.map(\.limit).max() ?? 0)
    }
}

/// What a hook reads from a control.
struct SensorsControlPresets {
    let common: SensorsBytes
    /// `"$element_path":"…`, to be followed by the row and ``pathTail``, for controls whose path has a row
    /// in it; the others' is in ``common``.
    let pathHead: SensorsBytes?
    /// What follows the row, with quote and comma.
    let pathTail: SensorsBytes
    /// `"$element_position":"section:`, to be followed by the row and a quote.
    let position: SensorsBytes?
    /// By the value to which a control was set: text and place.
    let values: UnsafePointer<SensorsBytes>
    let valueCount: Int
    private let valueLimit: Int
    let keys: SensorsOptionalKeys

    /// The most bytes that a tap takes from here.
    var limit: Int {
        common.count + (pathHead?.count ?? 0) + pathTail.count + (position?.count ?? 0) + valueLimit
            + 3 * SensorsCursor.digits
    }

    init(_ element: SensorsElement, arena: SensorsArena) {
        var keys: SensorsOptionalKeys = []
        var fragment = SensorsFragment()
        if !element.identifier.isEmpty {
            fragment.add("$element_id", element.identifier)
            keys.insert(.elementID)
        }
        fragment.add("$element_type", element.type)
        if !element.content.isEmpty { fragment.add("$element_content", element.content) }
        if !element.content.isEmpty || !element.contents.allSatisfy(\.isEmpty) {
            keys.insert(.elementContent)
        }
        if let path = element.path, path.hasRow {
            pathHead = arena.keep(Array(SensorsFragment("$element_path", path.head).bytes.dropLast(2)))
            // Without the name, which is two quotes and a colon, and the value's first quote.
            pathTail = arena.keep(Array(SensorsFragment("", path.tail).bytes.dropFirst(4)))
        } else {
            if let path = element.path { fragment.add("$element_path", path.head) }
            pathHead = nil
            pathTail = arena.keep([])
        }
        if case .fixed(let place) = element.place { fragment.add("$element_position", place) }
        if case .row(let section) = element.place {
            position = arena.keep(
                Array(SensorsFragment("$element_position", "\(section):").bytes.dropLast(2)))
        } else {
            position = nil
        }
        if element.place != .nowhere { keys.insert(.elementPosition) }
        let values = Self.values(of: element).map { arena.keep($0) }
        self.values = arena.keep(table: values)
        valueCount = values.count
        valueLimit = values.map(\.count).max() ?? 0
        common = arena.keep(fragment.bytes)
        self.keys = keys
    }

    private static func values(of element: SensorsElement) -> [[UInt8]] {
        element.contents.enumerated().map { value, text in
            var fragment = SensorsFragment(optional: "$element_content", text)
            if element.place == .value { fragment.add("$element_position", String(value)) }
            return fragment.bytes
        }
    }
}

/// Members of a JSON object, each with a comma after it.
struct SensorsFragment {
    private var buffer = WireBuffer()

    init() {}

    init(_ key: String, _ text: String) { add(key, text) }

    /// Nothing for an empty text.
    init(optional key: String, _ text: String) {
        if !text.isEmpty { add(key, text) }
    }

    var bytes: [UInt8] { buffer.bytes }
    var count: Int { buffer.count }

    mutating func add(_ key: String, _ text: String) {
        name(key)
        buffer.appendJSONString(text, slashes: .escaped)
        comma()
    }

    mutating func add(_ key: String, _ number: Int) {
        name(key)
        buffer.appendDecimal(number)
        comma()
    }

    mutating func add(_ key: String, _ flag: Bool) {
        name(key)
        buffer.appendJSON(flag)
        comma()
    }

    /// Adds a member whose value is JSON already.
    mutating func add(_ key: String, json: [UInt8]) {
        name(key)
        buffer.append(contentsOf: json)
        comma()
    }

    private mutating func name(_ key: String) {
        buffer.appendJSONString(key, slashes: .escaped)
        buffer.append(UInt8(ascii: ":"))
    }

    private mutating func comma() { buffer.append(UInt8(ascii: ",")) }
}
