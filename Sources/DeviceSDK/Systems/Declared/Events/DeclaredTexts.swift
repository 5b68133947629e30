import AppModel
import DeviceSDK
import SDKDescription
import Wire

/// The texts of an app and of its devices that placeholders stand for, escaped, in their own and in other letters: plain
/// values, which point into the arena of their program.
struct DeclaredTexts {
    /// By ``DeclaredSlotForm/Letters``.
    typealias Letters = UnsafePointer<DeclaredBytes>

    struct Screen {
        var name: Letters
        var className: Letters
        /// `nil` where there is none.
        var title: Letters?
        var controls: UnsafePointer<Control>
    }

    struct Control {
        var label: Letters?
        var className: Letters?
    }

    let screens: UnsafePointer<Screen>
    /// By version of the app.
    let versions: UnsafePointer<Letters>
    /// By index in the table of carriers; `nil` without a SIM.
    let carriers: UnsafePointer<Letters?>
    /// By index among the population's time zones.
    let zones: UnsafePointer<Letters>
    /// What stands before anonymous ids.
    let prefix: Letters
    private let longest: (screen: Int, className: Int, title: Int, label: Int, control: Int)
    private let longestOther: (version: Int, carrier: Int, zone: Int, prefix: Int)

    init(_ plan: PopulationPlan, _ identity: DescribedSDK.Identity, _ arena: DeclaredArena) {
        func letters(_ text: String) -> Letters {
            UnsafePointer(
                arena.keep(
                    table: DeclaredSlotForm.Letters.allCases.map { arena.keep($0.applied(to: text).escaped) })
            )
        }
        func some(_ text: String) -> Letters? { text.isEmpty ? nil : letters(text) }
        let app = plan.app
        screens = UnsafePointer(
            arena.keep(
                table: app.screens.map { screen in
                    Screen(
                        name: letters(screen.name), className: letters(screen.className),
                        title: some(screen.title),
                        controls: UnsafePointer(
                            arena.keep(
                                table: screen.controls.map {
                                    Control(label: some($0.label), className: some($0.className))
                                })))
                }))
        versions = UnsafePointer(arena.keep(table: app.versions.map { letters($0) }))
        carriers = UnsafePointer(
            arena.keep(table: DeviceHardware.carriers.map { carrier in carrier.name.map { letters($0) } }))
        zones = UnsafePointer(arena.keep(table: plan.zones.names.map { letters($0) }))
        prefix = letters(identity.prefix)
        let controls = app.screens.flatMap(\.controls)
        longest = (
            Self.most(app.screens.map(\.name)), Self.most(app.screens.map(\.className)),
            Self.most(app.screens.map(\.title)), Self.most(controls.map(\.label)),
            Self.most(controls.map(\.className))
        )
        longestOther = (
            Self.most(app.versions), Self.most(DeviceHardware.carriers.compactMap(\.name)),
            Self.most(plan.zones.names), Self.most([identity.prefix])
        )
    }

    private static func most(_ texts: [String]) -> Int {
        texts.flatMap { text in DeclaredSlotForm.Letters.allCases.map { $0.applied(to: text).escaped.count } }
            .max() ?? 0
    }

    /// The most bytes of an id, a number, a time, a truth value, a machine or a system.
    private static let plainLimit = 40

    /// The most bytes of what a placeholder stands for.
    func limit(of source: Placeholder.Source) -> Int {
        switch source {
        case .screenName, .screenPreviousName: longest.screen
        case .screenClass: longest.className
        case .screenTitle: longest.title
        case .elementText: longest.label
        case .elementClass: longest.control
        case .appVersion: longestOther.version
        case .deviceCarrier: longestOther.carrier
        case .deviceTimeZone: longestOther.zone
        case .distinctID, .sender: longestOther.prefix + Self.plainLimit
        default: Self.plainLimit
        }
    }

    /// What a placeholder of an event's screen or control stands for; `nil` if it is absent there.
    @inline(__always)
    func text(_ source: Placeholder.Source, of record: EventRecord, isTap: Bool) -> Letters? {
        let index = source == .screenPreviousName ? record.screenBefore(isTap: isTap) : record.screen
        guard index != .max else { return nil }
        let screen = screens + Int(index)
        switch source {
        case .screenName, .screenPreviousName: return screen.pointee.name
        case .screenClass: return screen.pointee.className
        case .screenTitle: return screen.pointee.title
        case .elementText, .elementClass:
            guard isTap, record.control != .max else { return nil }
            let control = screen.pointee.controls + Int(record.control)
            return source == .elementText ? control.pointee.label : control.pointee.className
        default: return nil
        }
    }
}

extension EventRecord {
    /// The screen before the event's; `UInt16.max` for none.
    @inline(__always)
    fileprivate func screenBefore(isTap: Bool) -> UInt16 {
        guard isTap else { return control }
        return detail == 0 ? .max : UInt16(truncatingIfNeeded: detail - 1)
    }
}

extension String {
    /// The inside of a JSON string.
    fileprivate var escaped: [UInt8] {
        var buffer = WireBuffer()
        buffer.appendJSONString(self)
        return Array(buffer.bytes.dropFirst().dropLast())
    }
}
