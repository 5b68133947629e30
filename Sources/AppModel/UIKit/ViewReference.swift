/// A view, or view controller, that a call of UIKit concerns: a node of a screen's ``ViewTree``, and
/// what differs from tap to tap.
///
/// Eight bytes, so that an event's record can keep it; ``detail`` packs the part that is not an index
/// into a table.
package struct ViewReference: Hashable, Sendable {
    package var screen: UInt16
    /// The node in the screen's tree.
    package var node: UInt16
    /// The row of the cell that the view is or lies in; 0 for views outside of lists.
    package var row: UInt16
    /// What the control was set to: the segment chosen, 1 or 0 of a switch, the steps of a stepper, a
    /// slider's position in thousandths of its range. Of a back button, the screen that it leads to. 0
    /// for other views.
    package var value: UInt16

    package init(screen: UInt16, node: UInt16, row: UInt16 = 0, value: UInt16 = 0) {
        self.screen = screen
        self.node = node
        self.row = row
        self.value = value
    }

    /// ``row`` and ``value`` in the 32 bits that an event's record has for details.
    package var detail: UInt32 { UInt32(row) | UInt32(value) << 16 }

    /// Unpacks what ``detail`` packed.
    package init(screen: UInt16, node: UInt16, detail: UInt32) {
        self.init(
            screen: screen, node: node, row: UInt16(truncatingIfNeeded: detail),
            value: UInt16(detail >> 16))
    }
}
