import TrolleyStore

/// A tool's answer, and the memory of the message that carries it.
struct AssistantAnswer: Sendable {
    /// JSON.
    let document: String
    /// Enough for the message, so that answering can't fail.
    let memory: ReadReservation
}

extension AssistantCall {
    /// Reserves the memory of an answer's message.
    /// - Throws: `StoreError` when the account uses too much memory already.
    func reserved(_ document: String) throws(StoreError) -> AssistantAnswer {
        // The message contains the document twice: as a value, and as a text whose escapes take as many bytes again at most. It
        // also repeats the request's id, which takes three times its bytes at most.
        let bytes = 3 * (document.utf8.count + messageBytes) + 1024
        return AssistantAnswer(document: document, memory: try store.reserve(bytes, for: session.account))
    }
}
