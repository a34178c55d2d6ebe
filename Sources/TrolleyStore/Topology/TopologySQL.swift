import TrolleyPostgres

/// SQL about the placement of lists.
enum TopologySQL {
    static let isDistributed = Statement(
        name: "topology_is_distributed", sql: "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')")

    static let all = [isDistributed]
}

// Statements that need a Citus cluster, and so are not prepared against the schema in tests.
extension TopologySQL {
    /// The shard of each list.
    static let shards = Statement(
        name: "topology_shards",
        sql: """
            SELECT asked.id, get_shard_id_for_distribution_column('list', asked.id)
            FROM unnest($1::uuid[]) AS asked (id)
            """)

    /// The shards of lists that are on one node which plans statements itself: the shard, the node's group, and its address.
    static let places = Statement(
        name: "topology_places",
        sql: """
            SELECT placement.shardid, node.groupid::bigint, node.nodename, node.nodeport::bigint
            FROM pg_dist_placement AS placement
            JOIN pg_dist_node AS node ON node.groupid = placement.groupid AND node.noderole = 'primary'
            WHERE placement.shardid IN (SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'list'::regclass)
                AND node.groupid <> 0 AND node.isactive AND node.hasmetadata AND node.metadatasynced
                AND NOT EXISTS (
                    SELECT
                    FROM pg_dist_placement AS other
                    WHERE other.shardid = placement.shardid AND other.placementid <> placement.placementid)
            """)

    /// The number of nodes that may have shards.
    static let nodeCount = Statement(
        name: "topology_node_count",
        sql: "SELECT count(*) FROM pg_dist_node WHERE noderole = 'primary' AND groupid <> 0 AND isactive")

    /// Which node a server is, and of which database.
    static let identity = Statement(
        name: "topology_identity",
        sql: "SELECT groupid::bigint, (SELECT epoch FROM service) FROM pg_dist_local_group")

    // Asks each shard separately, so that an unreachable node doesn't keep the others from answering. It must be alone
    // in its transaction.
    /// The shards of the lists, whether each answered, and the heads of the accounts' lists in it: one row for each
    /// list, or one row without a list.
    static let heads = Statement(
        name: "topology_heads",
        sql: """
            SELECT shardid1, success, (found ->> 0)::uuid, (found ->> 1)::uuid, (found ->> 2)::bigint
            FROM run_command_on_colocated_placements(
                'list', 'member',
                format(
                    $command$
                        SELECT coalesce(json_agg(json_build_array(member.account_id, list.id, list.head)), '[]')
                        FROM %%1$s AS list
                        JOIN %%2$s AS member ON member.list_id = list.id
                        WHERE member.account_id = ANY (%L::uuid[]) AND list.deleted_at IS NULL
                    $command$, $1::uuid[])) AS shard
            LEFT JOIN LATERAL json_array_elements(CASE WHEN success THEN result::json END) AS found ON true
            """)

    // As in ``heads``.
    /// The shards, whether each answered, and the lists in it to which invitations with a secret lead: one row for each
    /// list, or one row without a list.
    static let listsBySecret = Statement(
        name: "topology_lists_by_secret",
        sql: """
            SELECT shardid, success, found::uuid
            FROM run_command_on_shards(
                'invitation',
                format(
                    $command$
                        SELECT coalesce(json_agg(list_id), '[]') FROM %%s WHERE secret_hash = %L::bytea
                    $command$, $1::bytea)) AS shard
            LEFT JOIN LATERAL json_array_elements_text(CASE WHEN success THEN result::json END) AS found ON true
            """)

    /// The nodes: name, port, whether each is active, the number of its shards of lists, and whether it can be reached.
    static let nodes = Statement(
        name: "topology_nodes",
        sql: """
            SELECT
                node.nodename, node.nodeport::bigint, node.isactive,
                (
                    SELECT count(*)
                    FROM pg_dist_placement AS placement
                    JOIN pg_dist_shard AS shard ON shard.shardid = placement.shardid
                    WHERE placement.groupid = node.groupid AND shard.logicalrelid = 'list'::regclass),
                (
                    SELECT coalesce(bool_and(answer.success), false)
                    FROM master_run_on_worker(
                        ARRAY[node.nodename], ARRAY[node.nodeport], ARRAY['SELECT 1'], true) AS answer)
            FROM pg_dist_node AS node
            WHERE node.noderole = 'primary'
            ORDER BY node.nodename, node.nodeport
            """)

    /// Tables that are neither distributed nor on every node.
    static let unplacedTables = Statement(
        name: "topology_unplaced_tables",
        sql: """
            SELECT table_name::text
            FROM (\(Distribution.distributedTables)) AS distributed (table_name)
            WHERE table_name::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'h')
            UNION ALL
            SELECT table_name::text
            FROM (\(Distribution.referenceTables)) AS reference (table_name)
            WHERE table_name::regclass NOT IN (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'n')
            """)
}
