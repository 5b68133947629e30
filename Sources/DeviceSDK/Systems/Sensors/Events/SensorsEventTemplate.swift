import AppModel
import DeviceSDK
import Timebase
import Wire

/// How a template's JSON is made: what is rendered once, what is drawn, and which keys win.
///
/// A class, so that looking one up costs one retain and not one per array in it. Never changed
/// once made.
final class SensorsEventTemplate {
    enum Kind {
        case track, signUp, bind, unbind, web, profile, item
        /// Only these carry automatic and super properties.
        var hasCommonProperties: Bool { self != .profile && self != .item }
        /// Only these carry what 4.x's modules add: orientation and location.
        var hasModuleProperties: Bool { hasCommonProperties && self != .web }
    }

    let kind: Kind
    /// `{"type":"track","event":"BuyGoods",`.
    let head: SensorsBytes
    /// The end of `lib` after the common part, without the brace: `"$lib_method":"code"`.
    let libTail: SensorsBytes
    /// The same for the events that the SDK tracks from another place: those of ``SensorsEventFlags/resumed``
    /// and ``SensorsEventFlags/crashed``.
    let otherLibTail: SensorsBytes
    /// Whether `$lib_detail` names the screen.
    let hasScreenDetail: Bool
    /// Members of `properties` that never change.
    let constants: SensorsBytes
    /// The caller's members that are drawn per event.
    let members: SensorsCompiledMembers
    /// Dynamic super properties that nothing certain overrides.
    let dynamics: SensorsCompiledMembers
    /// `project` and `token`, lifted out of the properties, and their names.
    let lifted: SensorsCompiledMembers
    let liftedNames: [String]
    /// By key: what an automatic or super property of that name has to give way to.
    let overrides: [Bool]
    /// Whether a key that the event may carry is also that of an automatic or super property.
    let mayOverride: Bool
    /// Whether a dynamic super property has the name of a preset key that is not always there.
    let mayDropDynamics: Bool
    /// Keys whose values may be refused.
    let uncertain: [SensorsUncertainKey]
    /// Whether the caller's own `event_duration` stands, if it is not refused.
    let setsDuration: Bool
    /// `$time` given by the caller, in milliseconds.
    let time: Int64?
    /// The id of an item; nothing for all else.
    let itemID: SensorsCompiledMembers
    /// The most bytes of all that comes from here.
    let limit: Int
    let hasProperties: Bool
    /// 1.x puts the true `$device_id` in place of one that a profile change brings along.
    let correctsDeviceID: Bool

    /// Whether the app overrides a key of a page's event whatever the super properties are.
    func overridesPage(_ key: Int) -> Bool {
        pageLosesTo.contains(key)
    }
    private let pageLosesTo: [Int]

    init(_ draft: SensorsEventTemplateDraft, arena: SensorsArena) {
        pageLosesTo = draft.pageLosesTo
        kind = draft.kind
        head = arena.keep(draft.head)
        libTail = arena.keep(draft.libTail)
        otherLibTail = draft.otherLibTail.isEmpty ? libTail : arena.keep(draft.otherLibTail)
        hasScreenDetail = draft.hasScreenDetail
        constants = arena.keep(draft.constants)
        members = SensorsCompiledMembers(draft.members, arena: arena)
        dynamics = SensorsCompiledMembers(draft.dynamics, arena: arena)
        lifted = SensorsCompiledMembers(draft.lifted, arena: arena)
        liftedNames = draft.lifted.map(\.text)
        overrides = draft.overrides
        mayOverride = draft.mayOverride
        mayDropDynamics = draft.mayDropDynamics
        uncertain = draft.uncertain
        setsDuration = draft.setsDuration
        time = draft.time
        itemID = SensorsCompiledMembers(draft.itemID.map { [$0] } ?? [], arena: arena)
        limit =
            head.count + max(libTail.count, otherLibTail.count) + constants.count + members.limit
            + dynamics.limit + lifted.limit + draft.lifted.count + itemID.limit
        hasProperties = draft.hasProperties
        correctsDeviceID = draft.correctsDeviceID
    }
}

/// An event template while it is put together.
struct SensorsEventTemplateDraft {
    var kind: SensorsEventTemplate.Kind
    var head: [UInt8] = []
    var libTail: [UInt8] = []
    /// Empty where there is no other place.
    var otherLibTail: [UInt8] = []
    var hasScreenDetail = false
    var constants: [UInt8] = []
    var members: [SensorsMember] = []
    var dynamics: [SensorsMember] = []
    var lifted: [SensorsMember] = []
    var overrides: [Bool] = []
    var mayOverride = false
    var mayDropDynamics = false
    var uncertain: [SensorsUncertainKey] = []
    var setsDuration = false
    var time: Int64?
    var itemID: SensorsMember?
    var hasProperties = true
    var correctsDeviceID = false
    var pageLosesTo: [Int] = []
}
