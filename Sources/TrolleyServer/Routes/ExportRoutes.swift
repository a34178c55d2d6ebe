import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyStore
import TrolleyWire

/// Everything of a person's, in pieces: of what has happened no more than one is in memory.
struct ExportRoutes: Sendable {
    let store: Store

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/export") { _, context -> Response in
            let account = try await store.account(context.session.account)
            let lists = try await store.lists(of: account.id)
            let now = try await store.now()
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/json; charset=utf-8", .cacheControl: "no-store",
                    .contentDisposition: "attachment; filename=\"trolley-export.json\"",
                ],
                body: ResponseBody { writer in
                    // Whatever fails from here on cuts the answer off, and the file has no `complete`. Each piece is read
                    // when the one before has been taken.
                    try await store.export(account, lists.map(\.id), at: now) { bytes in
                        try await writer.write(ByteBuffer(bytes: bytes))
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
