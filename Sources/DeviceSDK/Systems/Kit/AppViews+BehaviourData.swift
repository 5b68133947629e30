import AppModel
import DeviceSDK

extension AppViews {
    /// What Kit notes of a control:
    /// `class|class of the target|selector|tag|{{x, y}, {width, height}}|info`.
    ///
    /// Source: `KitUserStatisics/UIControl+KitUserStatisics.m`, `inject_sendAction:to:forEvent:`.
    func behaviourData(_ view: ViewReference) -> String {
        let node = node(view)
        return "\(node.className)|\(node.target)|\(node.action)|\(node.tag)|\(frameText(view))|"
            + behaviourInfo(view)
    }

    /// The last part of ``behaviourData(_:)``: a button's title, a segmented control's segment (its
    /// index if it has no title), `%f` of a slider or stepper, `isOn` or `isOff` of a switch, nothing
    /// of all other controls.
    func behaviourInfo(_ view: ViewReference) -> String {
        switch node(view).kind {
        case .button: node(view).title
        case .segmentedControl: segment(view).flatMap { $0.isEmpty ? nil : $0 } ?? String(view.value)
        case .slider: Self.thousandths(view.value) + "000"
        case .toggle: view.value == 0 ? "isOff" : "isOn"
        case .stepper: "\(view.value).000000"
        default: ""
        }
    }

    /// A slider's value with three decimals.
    private static func thousandths(_ value: UInt16) -> String {
        let digits = String(value % 1000)
        return "\(value / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
