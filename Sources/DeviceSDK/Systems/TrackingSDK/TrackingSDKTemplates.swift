package import Accounting
package import AppModel
import DeviceSDK

/// What TrackingSDK can capture; ``EventRecord/template`` indexes it. First the app's call at its start
/// and the two swizzled methods, then the app's business events in the order of the ``AppDescription``.
///
/// What a record's fields mean, by template:
/// - launch: `detail` is the app's version.
/// - page and click: the view, as `screen`, its node in `control`, and ``AppModel/ViewReference/detail``.
/// - business event: `detail` is the entity.
package enum TrackingSDKTemplates {
    package static let appLaunch: UInt16 = 0
    package static let pageView: UInt16 = 1
    package static let buttonClick: UInt16 = 2
    static let fixedCount: UInt16 = 3

    /// The template of a business event.
    package static func business(_ event: UInt16) -> UInt16 { fixedCount + event }

    /// Type and name of each template, in order. Events have no type: it is always `event`.
    package static func labels(of app: AppDescription) -> [EventLabel] {
        let names = ["AppLaunch", "PageView", "ButtonClick"] + app.events.map(\.name)
        return names.map { EventLabel(type: "event", name: $0) }
    }
}
