// Test support for programs that use Settle.
