import TrolleyMigrations

/// What each table is for, as docs/schema.md says it. A migration that landed never changes, so a better text for one of its
/// tables stands here. A table of a later migration has the comment above it there.
enum TablePurpose {
    static func of(_ table: String) -> String { texts[table] ?? comment(above: table) }

    /// The comment above a table in its migration.
    private static func comment(above table: String) -> String {
        for migration in Migrations.all {
            let lines = migration.sql.split(separator: "\n", omittingEmptySubsequences: false)
            guard
                let place = lines.firstIndex(where: { line in
                    ["CREATE TABLE \(table) (", "CREATE UNLOGGED TABLE \(table) ("].contains { line.hasPrefix($0) }
                })
            else { continue }
            let comment = lines[..<place].reversed().prefix { $0.hasPrefix("-- ") }.reversed()
            return comment.map { $0.dropFirst(3) }.joined(separator: " ")
        }
        return ""
    }

    private static let texts = [
        "account": "People's accounts.",
        "account_change":
            "Accounts whose new name, address or colour is being recorded in their lists, and how far that is.",
        "account_deletion":
            "Accounts that are being deleted, and how far that is: it goes list by list. A row goes with its account.",
        "archived_entry":
            "Entries that compression removed from the journal, by the month in which they were received. They stay in the "
            + "Activity. An entry that was brought back because its item is wanted again is in both tables: here at its first "
            + "place, in `entry` at its new one.",
        "archived_id":
            "The ids of archived entries. An id stays taken for ever, also when retention has dropped the entry. Uploads "
            + "look ids up here, never in the months of `archived_entry`.",
        "backfill":
            "Work on the rows of earlier versions, which the service does in the background, list by list, and how far it is.",
        "departure": "People who have left a list or were removed from it, with the reason that their devices get.",
        "device":
            "Devices: installations of an app, each with the hash of its session's token. The row of a signed-out device "
            + "stays, because entries name it.",
        "device_report":
            "The latest report of each device: the counts of its two queues, and its position on each list. One small row a "
            + "device, updated in place: only the primary key is indexed, and pages are half full, so that updates stay within "
            + "their page (HOT).",
        "email_code": "Codes sent by mail, which prove that an address belongs to an account. A used code is deleted.",
        "ended_session":
            "Sessions that ended within the last hour, numbered by `service.sessions_ended`. A process that caches sessions "
            + "learns here which of them have ended.",
        "entry": "The journal: the live entries of all lists, each at its sequence.",
        "event":
            "The other changes in a list's stream: states of the share and discards, each as the JSON that devices get.",
        "hail": "A device's invitation of another device to a room.",
        "hosted_counter":
            "The last `deviceSequence` that a hosted device has used for a list. It outlives the list, which may come back.",
        "hosted_device":
            "Devices that the service itself drives, for integrations; their queues are in the other `hosted_` tables. Each "
            + "also has a row in `device`, whose token nobody knows. Signing out that device ends this one.",
        "hosted_entry": "Confirmed entries on a hosted device. Those that are not applied are its to-apply queue.",
        "hosted_list": "Lists on a hosted device. `list_id` leads each key, as in all tables of lists.",
        "hosted_pending":
            "A hosted device's own entries. Those with neither a sequence nor the mark 'retired' are its upload queue. An "
            + "entry with a sequence is retired when a fetch has passed it. Then it is kept for a while, to be offered again "
            + "to a service that was restored.",
        "hosted_rejected":
            "Entries that the service has rejected. They stay until a person dismisses them, also when their list is gone.",
        "hosted_request":
            "Answers to changes with an idempotency key. A request with the same key gets the same answer.",
        "hosted_staged": "Pages of a snapshot that is not complete yet.",
        "hosted_unseen": "Items that an entry marked off before the device had shown them.",
        "identity":
            "Subjects of identity providers, and their accounts. Such an account is never merged with another one that has "
            + "the same address.",
        "invitation":
            "Invitations to lists: to an address, valid until withdrawn; or by a link, for the first person who opens it.",
        "leadership": "The process that does the background work: one at a time, as long as it renews this row.",
        "list": "Lists: head, epoch, name, counts, and when background work on them is due.",
        "mail_delivery": "The outcome of the latest mails, for operators: one row.",
        "maintenance_run": "The last runs of compression and backup, for the operator's page: ten of each.",
        "member": "The people on each list, with the owner: role and permission, and where each keeps it among theirs.",
        "migration": "The migrations that were applied, with their checksums.",
        "notice":
            "Problems that a process has found, for operators: the latest of each kind. `trolleyd doctor` shows them.",
        "password_reset":
            "Password reset codes, made by an operator for a person who has forgotten their password. A used code is deleted.",
        "presence":
            "Devices on which a list is open, each with a lease. Unlogged: it is written often, matters for a minute, and may "
            + "be lost when the database crashes.",
        "process":
            "The running processes of the service, with the settings that diagnostics show. A process that shuts down "
            + "deletes its row; the row of one that was killed is out of date after a few minutes.",
        "push_delivery":
            "The outbox: notices to deliver. A row is deleted when it is delivered, or some days after the last attempt.",
        "push_registration":
            "Registrations of programs that are told of changes of a list by push (WebDAV-Push), and how far each was told.",
        "push_target":
            "Endpoints of a person's notices: the browser of a device's session, a webhook, or a program with registrations.",
        "read_mark": "How far a person has read a list, on any device. It only rises.",
        "returned_place":
            "Earlier places of entries that came back from the archive, and when they were received. `archived_id` has only "
            + "an entry's first place. A device whose token stands at a later one is up to date all the same.",
        "room":
            "Rooms: live channels between devices that have a list open. The row stays until the room's hour is over, so "
            + "that a room whose secret a removed person knows isn't made again.",
        "room_nonce": "Nonces of handshakes within the clock window: each is accepted once, by all processes together.",
        "service": "Settings and state of the service as a whole: one row.",
        "sign_up_code": "Sign-up codes, made by an operator. A used code is deleted.",
        "statement_time":
            "How long statements took, by name, as the processes measured it: for servers without pg_stat_statements. No "
            + "values of parameters.",
        "summary": "Summaries of sessions for a person, until their read mark passes them, for at most two weeks.",
        "summary_state": "A person's settings and state for summaries of a list. Without a row the defaults apply.",
        "waiting_device":
            "Devices that have reported entries in a queue, so that they are counted without reading all reports.",
    ]
}
