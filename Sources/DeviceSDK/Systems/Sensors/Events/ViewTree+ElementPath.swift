import AppModel
import DeviceSDK

extension ViewTree {
    /// A view's `$element_path` as Sensors 4.x writes it: from the nearest controller's own view down,
    /// each class with its index among siblings of its class, the controller's view without, and an
    /// alert's controller in front. Of the innermost cell the section, and `-` for the row; of a tab
    /// and of a segment `-`.
    ///
    /// Source: sa-sdk-ios v4.9.1, `UIRelated/SAUIProperties.m`
    /// (`elementPathForView:atViewController:`) and `UIRelated/UIView+SAViewPath.m`.
    func elementPath(to node: UInt16) -> RowText {
        let ignored = ["UITableViewWrapperView", "UISegment", "_UISearchBarFieldEditor", "UIFieldEditor"]
        let path = path(to: node) { $0.kind.isController }
        let isSimilar = [.tabButton, .segmentedControl].contains(self[node].kind)
        let isInAlert = path.first.map { self[$0].kind == .alertController } ?? false
        var text = RowText(isInAlert ? "UIAlertController" : "")
        for (index, ancestor) in path.enumerated().dropFirst()
        where !ignored.contains(self[ancestor].className) {
            let step = self[ancestor]
            if !text.head.isEmpty { text.append("/") }
            text.append(step.className)
            if step.cell == ancestor {
                text.append("[\(step.section)][")
                if ancestor == self[node].cell && !isSimilar { text.append("-") } else { text.appendRow() }
                text.append("]")
            } else if ancestor == node && step.kind == .tabButton {
                text.append("[-]")
            } else if index > 1 {
                text.append("[\(step.classIndex)]")
            }
        }
        if self[node].kind == .segmentedControl { text.append("/UISegment[-]") }
        return text
    }
}
