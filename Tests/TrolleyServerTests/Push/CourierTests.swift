import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("Sending what is in the outbox", .timeLimit(.minutes(20)))
struct CourierTests {
    @Test(
        "a delivery that can't be read is given up, and the others are sent",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func unreadable() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with { scene in
                let broken = try await scene.webhook(receiver.url("/broken"), of: scene.ben)
                try await scene.webhook(receiver.url("/well"), of: scene.ben)
                try await scene.run(
                    """
                    CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql
                        AS $$ BEGIN NEW.content = '{"people":"marzipan"}'; RETURN NEW; END $$;
                    CREATE TRIGGER break BEFORE INSERT ON push_delivery
                        FOR EACH ROW WHEN (NEW.target_id = '\(broken.id)') EXECUTE FUNCTION break()
                    """)
                try await scene.visit()
                try await scene.waitUntilSent()
                #expect(receiver.log.all.map(\.path) == ["/well"])
                let letters = try await scene.deadLetters(of: scene.ben)
                #expect(letters.contains(#""failure":"unreadable""#) && !letters.contains("marzipan"))
            }
        }
    }

    @Test(
        "what one lane has claimed is sent, though the other lane can't be claimed",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func lanes() async throws {
        try await TestReceiver.with { receiver in
            try await PushScene.with { scene in
                try await scene.webhook(receiver.url("/well"), of: scene.ben)
                let failing = try await scene.webhook(receiver.url("/failing"), of: scene.ben)
                try await scene.run(
                    """
                    UPDATE push_target SET failing = true WHERE id = '\(failing.id)';
                    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                        AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$;
                    CREATE TRIGGER refuse BEFORE UPDATE ON push_delivery
                        FOR EACH ROW WHEN (NEW.target_id = '\(failing.id)') EXECUTE FUNCTION refuse()
                    """)
                try await scene.visit()
                try await eventually {
                    receiver.log.all.map(\.path)
                } until: {
                    !$0.isEmpty
                }
                #expect(receiver.log.all.map(\.path) == ["/well"])
            }
        }
    }
}

extension PushScene {
    fileprivate func run(_ script: String) async throws {
        try await service.pool.withConnection { try await $0.run(script: script) }
    }
}
