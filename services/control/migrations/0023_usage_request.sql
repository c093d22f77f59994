-- The ledger by the ids of requests. It is made without partitions, and a partition of a few megabytes gets its part at once. Control
-- adds the parts of larger ones later, without a lock on them; until then the index of the table is invalid, and not used.
CREATE INDEX usage_request ON ONLY usage (request_id);
--> statement-breakpoint
DO $do$
DECLARE
  partition text;
BEGIN
  FOR partition IN
    SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'usage'::regclass AND pg_relation_size(inhrelid) < 8 * 1024 * 1024
  LOOP
    EXECUTE format('CREATE INDEX %I ON %I (request_id)', partition || '_request', partition);
    EXECUTE format('ALTER INDEX usage_request ATTACH PARTITION %I', partition || '_request');
  END LOOP;
END
$do$;
