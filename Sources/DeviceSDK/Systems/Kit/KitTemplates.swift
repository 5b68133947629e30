import Accounting
import AppModel
import DeviceSDK

/// The kinds of rows that Kit writes; ``EventRecord/template`` is the raw value.
///
/// A record's `screen`, `control` and `detail` are the view's (``AppModel/ViewReference``); a start has none.
enum KitTemplate: UInt16, CaseIterable {
    case launch, appear, disappear, tab
    case button, segmentedControl, slider, toggle, stepper, other

    /// A control's row.
    init(_ kind: ViewKind) {
        self =
            switch kind {
            case .button: .button
            case .segmentedControl: .segmentedControl
            case .slider: .slider
            case .toggle: .toggle
            case .stepper: .stepper
            default: .other
            }
    }

    var isControl: Bool { rawValue >= KitTemplate.button.rawValue }

    /// The row's first field.
    func code(_ codes: KitRules.TypeCodes) -> Int {
        switch self {
        case .launch: 0
        case .appear: 1
        case .disappear: 2
        case .tab: 3
        case .button: 100
        case .segmentedControl: 101
        case .slider: 102
        case .toggle: codes == .source ? 102 : 103
        case .stepper: codes == .source ? 102 : 104
        case .other: codes == .source ? 103 : 105
        }
    }

    /// The row's last field.
    var remark: String {
        switch self {
        case .launch: "启动App"
        case .appear: "进入ViewController"
        case .disappear: "离开ViewController"
        case .tab: "Tabbar切换ViewController"
        case .button: "UIButton点击事件"
        case .segmentedControl: "UISegmentedControl选择事件"
        case .slider: "UISlider选择事件"
        case .toggle: "UISwitch选择事件"
        case .stepper: "UIStepper选择事件"
        case .other: "其它UIControl事件"
        }
    }

    /// Code and remark of each kind, in order.
    static func labels(_ codes: KitRules.TypeCodes) -> [EventLabel] {
        allCases.map { EventLabel(type: String($0.code(codes)), name: $0.remark) }
    }
}
