import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyStore
import TrolleyWire

/// Exports all of a person's lists in pieces. Only one piece of the Activity is in memory at a time.
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
                    // A failure from here on truncates the response, and the file lacks `complete`. Each piece is read
                    // when the previous one has been sent.
                    try await store.export(account, lists.map(\.id), at: now) { bytes in
                        try await writer.write(ByteBuffer(bytes: bytes))
                    }
                    try await writer.finish(nil)
                })
        }
    }
}
