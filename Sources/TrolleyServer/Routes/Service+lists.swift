import Hummingbird
import TrolleyStore
import TrolleyWire

extension Service {
    func addListRoutes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists") { request, context -> Response in
            let wanted = try await request.decode(CreateListRequest.self, limits: limits)
            let (list, isNew) = try await store.createList(wanted.id, owner: context.session.account)
            return try .json(list, status: isNew ? .created : .ok)
        }
        router.get("v1/lists") { _, context -> Response in
            try .json(ListsResponse(lists: try await store.lists(of: context.session.account)))
        }
        // The owner deletes it for all; a participant leaves it.
        router.delete("v1/lists/:list") { _, context -> Response in
            try await store.deleteList(context.list(), by: context.session.account)
            return .noContent
        }
        router.get("v1/lists/:list/state") { _, context -> Response in
            let state = try await store.state(of: context.list(), for: context.session.account)
            return .json(bytes: state.json)
        }
    }
}
