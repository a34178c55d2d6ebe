import TrolleyPostgres

// SQL about the requests that a hosted device has answered.

extension HostedDeviceSQL {
    static let request = Statement(
        name: "hosted_request",
        sql: "SELECT request_hash, answer FROM hosted_request WHERE device_id = $1 AND key_hash = $2")

    static let insertRequest = Statement(
        name: "hosted_request_insert",
        sql: "INSERT INTO hosted_request (device_id, key_hash, request_hash, answer) VALUES ($1, $2, $3, $4)")

    // A change uses up a quota of its list, so its answer may stay for long; but one that was refused and dismissed uses up
    // none, so only the latest ten thousand of a device stay. An answer without an entry has changed nothing: it stays for an
    // hour, and only the latest thousand of a device.
    static let forgetRequests = Statement(
        name: "hosted_request_forget",
        sql: """
            DELETE FROM hosted_request
            WHERE device_id = $1
                AND (made_at < now() - interval '30 days'
                    OR (answer ->> 'entry' IS NULL AND made_at < now() - interval '1 hour')
                    OR key_hash IN (
                        SELECT key_hash
                        FROM hosted_request
                        WHERE device_id = $1 AND answer ->> 'entry' IS NULL
                        ORDER BY made_at DESC, key_hash
                        OFFSET 1000)
                    OR key_hash IN (
                        SELECT key_hash
                        FROM hosted_request
                        WHERE device_id = $1
                        ORDER BY made_at DESC, key_hash
                        OFFSET 10000))
            """)

    static let ofRequests = [request, insertRequest, forgetRequests]
}
