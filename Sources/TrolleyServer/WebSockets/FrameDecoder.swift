import NIOCore

/// Puts a ``FrameReader`` into a connection's pipeline. Nothing is read after a fault.
final class FrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = FrameReader.Event

    private var reader: FrameReader
    private var hasFailed = false

    /// - Parameter maximumBytes: of one frame.
    init(maximumBytes: Int) { reader = FrameReader(maximumBytes: maximumBytes) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        let event = hasFailed ? nil : reader.next(&buffer)
        if case .failure? = event { hasFailed = true }
        if hasFailed { buffer.moveReaderIndex(to: buffer.writerIndex) }
        guard let event else { return .needMoreData }
        context.fireChannelRead(wrapInboundOut(event))
        return .continue
    }
}

@available(*, unavailable)
extension FrameDecoder: Sendable {}
