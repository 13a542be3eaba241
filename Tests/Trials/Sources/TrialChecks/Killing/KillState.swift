/// The settings that a process writes until it is killed.
public struct KillState: Sendable, Hashable {
    public var single = 0
    public var left = 0
    public var right = 0
    public var counter = 0

    public init(single: Int = 0, left: Int = 0, right: Int = 0, counter: Int = 0) {
        self.single = single
        self.left = left
        self.right = right
        self.counter = counter
    }

    /// Each step writes its own number, so no two states of a run are equal.
    public mutating func perform(_ step: KillPlan.Step, number: Int) {
        switch step {
        case .single:
            single = number
        case .pair:
            left = number
            right = number
        case .commit:
            counter += 1
            left = number
            right = number
        }
    }
}
