extension String {
    /// As TrolleyJournal's, which only its own package may call and `Base64URL` calls.
    @inline(__always) func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = self
        return text.withUTF8(body)
    }
}
