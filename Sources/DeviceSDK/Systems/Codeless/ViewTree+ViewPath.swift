package import AppModel
import DeviceSDK

extension ViewTree {
    /// The path that tells a view from all others of the app, as the codeless SDK writes it: the
    /// classes from the nearest view controller down to the view, without Swift modules, then for each
    /// its index among the siblings of its class: 0 for controllers, `section:row` for cells.
    ///
    /// Source: "iOS 无埋点数据 SDK 实践之路" (zerygao), whose example is
    /// `HYGHallSlideViewController-UIScrollView-… & 0-0-1-0-0:2-0-1`.
    package func viewPath(to node: UInt16) -> RowText {
        let path = path(to: node) { $0.kind.isController }
        var text = RowText(path.map { self[$0].plainClassName }.joined(separator: "-") + " & ")
        for (index, ancestor) in path.enumerated() {
            let step = self[ancestor]
            if index > 0 { text.append("-") }
            switch step.kind {
            case .tableCell, .collectionCell:
                text.append("\(step.section):")
                text.appendRow()
            case let kind where kind.isController: text.append("0")
            default: text.append(String(step.classIndex))
            }
        }
        return text
    }
}
