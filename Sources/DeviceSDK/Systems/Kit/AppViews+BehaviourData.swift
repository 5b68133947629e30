import AppModel
import DeviceSDK

extension AppViews {
    /// What Kit notes of a control:
    /// `class|class of the target|selector|tag|{{x, y}, {width, height}}|info`.
    ///
    /// Source: `KitUserStatisics/UIControl+KitUserStatisics.m`, `inject_sendAction:to:forEvent:`.
    func behaviourData(_ view: ViewReference) -> String {
        let node = node(view).before11
        return "\(node.className)|\(node.target)|\(node.action)|\(node.tag)|\(frameText(view))|"
            + behaviourInfo(view)
    }

    /// The last part of ``behaviourData(_:)``: a button's title, a segmented control's segment (its
    /// index if it has no title), `%f` of a slider or stepper, `isOn` or `isOff` of a switch, nothing
    /// of all other controls.
    func behaviourInfo(_ view: ViewReference) -> String {
        let node = node(view).before11
        return switch node.kind {
        case .button: node.title
        case .segmentedControl: segment(view).flatMap { $0.isEmpty ? nil : $0 } ?? String(view.value)
        case .slider: Self.sliderText(view.value)
        case .toggle: view.value == 0 ? "isOff" : "isOn"
        case .stepper: "\(view.value).000000"
        default: ""
        }
    }
}

extension ViewNode {
    /// The view as the phones of ``KitHandset`` have it. Until iOS 10 a button in a navigation bar is a `UIButton` that
    /// sends to its item itself; only that of iOS 11 is another control, with a target between.
    var before11: ViewNode {
        guard kind == .barButton, action == "_invoke:forEvent:" else { return self }
        var node = self
        node.kind = .button
        node.className = "UINavigationButton"
        node.action = "_sendAction:withEvent:"
        node.target = "UIBarButtonItem"
        return node
    }
}
