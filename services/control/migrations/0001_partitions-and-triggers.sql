-- What drizzle-kit does not make from the tables: the partitions of the ledger, the functions and triggers, and the first rows.
ALTER TABLE usage RENAME TO usage_first;
--> statement-breakpoint
ALTER INDEX usage_pkey RENAME TO usage_first_pkey;
--> statement-breakpoint
ALTER INDEX usage_at RENAME TO usage_first_at;
--> statement-breakpoint
ALTER INDEX usage_token RENAME TO usage_first_token;
--> statement-breakpoint
ALTER INDEX usage_request RENAME TO usage_first_request;
--> statement-breakpoint
-- The ledger in partitions by the time in the ids, which are UUIDv7: so an id is unique, and finds its partition.
CREATE TABLE usage (LIKE usage_first INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
--> statement-breakpoint
CREATE INDEX usage_at ON usage (at);
--> statement-breakpoint
CREATE INDEX usage_token ON usage (token_id, at);
--> statement-breakpoint
CREATE INDEX usage_request ON usage (request_id);
--> statement-breakpoint
-- Ids of no partition: those that are no UUIDv7.
CREATE TABLE usage_rest PARTITION OF usage DEFAULT;
--> statement-breakpoint
-- The lowest id of a time.
CREATE FUNCTION usage_id_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT rpad(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
--> statement-breakpoint
ALTER TABLE usage ATTACH PARTITION usage_first
  FOR VALUES FROM (MINVALUE) TO (usage_id_at(date_trunc('month', now(), 'UTC') + interval '1 month'));
--> statement-breakpoint
-- Roll-ups are changed often: a page has room for the next versions of its rows.
ALTER TABLE usage_hours SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE usage_days SET (fillfactor = 70);
--> statement-breakpoint
-- Roll-ups: sums of the ledger by hour and by day. They always add up to it, whoever writes it: triggers keep them. `key` is a hash of
-- the columns after it up to `charged`, since an index cannot hold all of their texts. Sums are doubles: they do not overflow.
DO $do$
DECLARE
  counts text[] := ARRAY['attempts', 'requests', 'unpriced', 'timed', 'ms', 'begun', 'first_ms', 'input', 'cached_input', 'cache_write_5m',
    'cache_write_1h', 'audio_input', 'image_input', 'output', 'reasoning', 'audio_output', 'images', 'seconds', 'characters', 'searches',
    'cost'];
  groups text := 'token_id, project, owner, tags, model, provider, outcome, charged';
  -- The counts of each row of the ledger: negative ones for a row as it was.
  signed text := (SELECT string_agg(CASE name
    WHEN 'attempts' THEN 'sum(sign)'
    WHEN 'requests' THEN 'sum(CASE WHEN final THEN sign ELSE 0 END)'
    WHEN 'timed' THEN 'sum(sign)'
    WHEN 'unpriced' THEN 'sum(CASE WHEN cost IS NULL THEN sign ELSE 0 END)'
    WHEN 'begun' THEN 'sum(CASE WHEN stream AND first_ms IS NOT NULL THEN sign ELSE 0 END)'
    WHEN 'first_ms' THEN 'coalesce(sum(CASE WHEN stream THEN sign * first_ms::double precision END), 0)'
    WHEN 'cost' THEN 'coalesce(sum(sign * cost), 0)'
    ELSE format('sum(sign * %I::double precision)', name) END || format(' AS %I', name), ', ') FROM unnest(counts) AS name);
  sums text := (SELECT string_agg(format('sum(%I)', name), ', ') FROM unnest(counts) AS name);
  added text := (SELECT string_agg(format('%1$I = kept.%1$I + excluded.%1$I', name), ', ') FROM unnest(counts) AS name);
  roll_up text := format($sql$
    WITH summed AS (
      SELECT *, substring(sha256(convert_to(ROW (%1$s)::text, 'UTF8')) FOR 16) AS key
      FROM (SELECT date_trunc('hour', at, 'UTC') AS start, %1$s, %2$s FROM (%%s) AS changed GROUP BY 1, %1$s) AS grouped
    ), hours AS (
      INSERT INTO usage_hours AS kept (start, key, %1$s, %3$s)
      SELECT start, key, %1$s, %3$s FROM summed ORDER BY 1, 2
      ON CONFLICT (start, key) DO UPDATE SET %5$s
    )
    INSERT INTO usage_days AS kept (start, key, %1$s, %3$s)
    SELECT date_trunc('day', start, 'UTC'), key, %1$s, %4$s FROM summed GROUP BY 1, key, %1$s ORDER BY 1, 2
    ON CONFLICT (start, key) DO UPDATE SET %5$s$sql$, groups, signed, array_to_string(counts, ', '), sums, added);
BEGIN
  EXECUTE format('CREATE FUNCTION usage_inserted() RETURNS trigger LANGUAGE plpgsql AS %L',
    format('BEGIN %s; RETURN NULL; END', format(roll_up, 'SELECT 1 AS sign, * FROM new_rows')));
  EXECUTE format('CREATE FUNCTION usage_updated() RETURNS trigger LANGUAGE plpgsql AS %L',
    format('BEGIN IF EXISTS (SELECT FROM new_rows) THEN %s; END IF; RETURN NULL; END',
      format(roll_up, 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows')));
END
$do$;
--> statement-breakpoint
CREATE TRIGGER usage_inserted AFTER INSERT ON usage REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION usage_inserted();
--> statement-breakpoint
CREATE TRIGGER usage_updated AFTER UPDATE ON usage REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION usage_updated();
--> statement-breakpoint
-- Roll-ups of hours by one column each: sums over weeks by a project, owner, model or provider read few of them. Control fills the table
-- with the hours before `until`, an hour at a time. Triggers add what is recorded later of those hours, so a key may have several rows.
DO $do$
DECLARE
  sums text[] := ARRAY['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'audio_input', 'image_input', 'output', 'reasoning',
    'audio_output', 'images', 'seconds', 'characters', 'searches'];
  counts text := 'attempts, requests, unpriced, timed, ms, begun, first_ms, ' || array_to_string(sums, ', ') || ', cost';
  kinds text := $sql$CROSS JOIN LATERAL (VALUES ('project', project), ('owner', owner), ('model', model), ('provider', provider))
    AS keys (kind, key)$sql$;
  -- The counts of a row of the ledger: negative ones for a row as it was.
  late text := format($sql$
    INSERT INTO usage_key_hours (start, kind, key, outcome, charged, %1$s)
    SELECT date_trunc('hour', at, 'UTC'), kind, key, outcome, charged,
      sum(sign), sum(CASE WHEN final THEN sign ELSE 0 END), sum(CASE WHEN cost IS NULL THEN sign ELSE 0 END), sum(sign),
      sum(sign * ms::double precision), sum(CASE WHEN stream AND first_ms IS NOT NULL THEN sign ELSE 0 END),
      coalesce(sum(CASE WHEN stream THEN sign * first_ms::double precision END), 0), %2$s, coalesce(sum(sign * cost), 0)
    FROM (%%s) AS changed %3$s WHERE at < summed GROUP BY 1, 2, 3, 4, 5$sql$,
    counts, (SELECT string_agg(format('sum(sign * %I::double precision)', name), ', ') FROM unnest(sums) AS name), kinds);
  -- Control takes this lock alone while it moves the time.
  body text := $sql$DECLARE summed timestamptz;
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(7213006);
      SELECT until INTO summed FROM usage_key_hours_until;
      IF EXISTS (SELECT FROM (%1$s) AS changed WHERE at < summed) THEN %2$s; END IF;
      RETURN NULL;
    END$sql$;
  inserted text := 'SELECT 1 AS sign, * FROM new_rows';
  updated text := 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows';
BEGIN
  EXECUTE format('CREATE FUNCTION usage_inserted_late() RETURNS trigger LANGUAGE plpgsql AS %L',
    format(body, inserted, format(late, inserted)));
  EXECUTE format('CREATE FUNCTION usage_updated_late() RETURNS trigger LANGUAGE plpgsql AS %L',
    format(body, updated, format(late, updated)));
  -- Adds the roll-ups of an hour.
  EXECUTE format('CREATE FUNCTION usage_sum_keys(hour timestamptz) RETURNS void LANGUAGE sql AS %L', format($sql$
    INSERT INTO usage_key_hours (start, kind, key, outcome, charged, %1$s)
    SELECT start, kind, keys.key, outcome, charged, %2$s FROM usage_hours %3$s WHERE start = hour GROUP BY 1, 2, 3, 4, 5$sql$,
    counts, (SELECT string_agg(format('sum(%s)', trim(name)), ', ') FROM unnest(string_to_array(counts, ',')) AS name), kinds));
END
$do$;
--> statement-breakpoint
CREATE TRIGGER usage_inserted_late AFTER INSERT ON usage REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION usage_inserted_late();
--> statement-breakpoint
CREATE TRIGGER usage_updated_late AFTER UPDATE ON usage REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION usage_updated_late();
--> statement-breakpoint
INSERT INTO usage_key_hours_until (until) VALUES (date_trunc('hour', now(), 'UTC'));
--> statement-breakpoint
-- A user or project that is deleted and later named again begins without logins and roles. These are triggers so that they also
-- hold for a control of another version.
CREATE FUNCTION forget_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id;
  DELETE FROM memberships WHERE user_id = NEW.id;
  DELETE FROM logins WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER users_deleted AFTER UPDATE OF deleted_at ON users
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION forget_user();
--> statement-breakpoint
CREATE FUNCTION forget_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM memberships WHERE project_id = NEW.id;
  DELETE FROM account_projects WHERE project_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER projects_deleted AFTER UPDATE OF deleted_at ON projects
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION forget_project();
--> statement-breakpoint
-- The audit log is append-only.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP;
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
--> statement-breakpoint
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
