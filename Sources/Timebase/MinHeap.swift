/// A priority queue, the least element first: a 4-ary heap, O(log n) in and out.
///
/// Elements that are equal come in any order: whoever cares has none.
package struct MinHeap<Element: Comparable> {
    @usableFromInline var elements: ContiguousArray<Element> = []

    @inlinable
    package init() {}

    @inlinable package var isEmpty: Bool { elements.isEmpty }
    @inlinable package var count: Int { elements.count }
    /// The least element.
    @inlinable package var first: Element? { elements.first }

    /// Adds an element.
    @inlinable
    package mutating func insert(_ element: Element) {
        var index = elements.count
        elements.append(element)
        while index > 0 {
            let parent = (index - 1) / 4
            guard element < elements[parent] else { break }
            elements[index] = elements[parent]
            index = parent
        }
        elements[index] = element
    }

    /// Takes out the least element.
    @inlinable
    @discardableResult
    package mutating func popFirst() -> Element? {
        guard let first = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return first }
        var index = 0
        while true {
            let child = index * 4 + 1
            guard child < elements.count else { break }
            var smallest = child
            for other in child + 1..<max(child + 1, min(child + 4, elements.count))
            where elements[other] < elements[smallest] {
                smallest = other
            }
            guard elements[smallest] < last else { break }
            elements[index] = elements[smallest]
            index = smallest
        }
        elements[index] = last
        return first
    }
}

extension MinHeap: Sendable where Element: Sendable {}
