// Take the values that a benchmark reads, so that the compiler can't remove the reading. The optimizer does not look
// into these functions; subject and limit call the same ones.

@inline(never) @_optimize(none)
func consume(_ value: Int) {}

@inline(never) @_optimize(none)
func consume(_ value: String) {}

@inline(never) @_optimize(none)
func consume(_ value: Endpoint) {}
