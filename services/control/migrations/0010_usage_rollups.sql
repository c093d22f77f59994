-- The ledger in partitions by the time in the ids, which are UUIDv7: so an id is still unique, and finds its partition. This
-- migration takes some seconds for a million rows, in which records wait in JetStream.
ALTER TABLE usage RENAME TO usage_first;
--> statement-breakpoint
ALTER INDEX usage_pkey RENAME TO usage_first_pkey;
--> statement-breakpoint
ALTER INDEX usage_at RENAME TO usage_first_at;
--> statement-breakpoint
ALTER INDEX usage_token RENAME TO usage_first_token;
--> statement-breakpoint
CREATE TABLE usage (LIKE usage_first INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id);
--> statement-breakpoint
CREATE INDEX usage_at ON usage (at);
--> statement-breakpoint
CREATE INDEX usage_token ON usage (token_id, at);
--> statement-breakpoint
-- Ids of no partition: those that are no UUIDv7.
CREATE TABLE usage_rest PARTITION OF usage DEFAULT;
--> statement-breakpoint
-- The lowest id of a time.
CREATE FUNCTION usage_id_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT rpad(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
--> statement-breakpoint
WITH odd AS (
  DELETE FROM usage_first WHERE id >= usage_id_at(date_trunc('month', now(), 'UTC') + interval '1 month') RETURNING *
)
INSERT INTO usage_rest SELECT * FROM odd;
--> statement-breakpoint
ALTER TABLE usage ATTACH PARTITION usage_first
  FOR VALUES FROM (MINVALUE) TO (usage_id_at(date_trunc('month', now(), 'UTC') + interval '1 month'));
--> statement-breakpoint
-- Roll-ups: sums of the ledger by hour and by day. They always add up to it, whoever writes it: triggers keep them. `key` is a hash of
-- the columns after it up to `charged`, since an index cannot hold all of their texts. Sums are doubles: they do not overflow.
CREATE TABLE usage_hours (
  start timestamptz NOT NULL,
  key bytea NOT NULL,
  token_id text NOT NULL,
  project text NOT NULL,
  owner text,
  tags jsonb,
  model text NOT NULL,
  provider text NOT NULL,
  outcome text NOT NULL,
  charged boolean NOT NULL,
  attempts bigint NOT NULL,
  unpriced bigint NOT NULL,
  input double precision NOT NULL,
  cached_input double precision NOT NULL,
  cache_write_5m double precision NOT NULL,
  cache_write_1h double precision NOT NULL,
  audio_input double precision NOT NULL,
  image_input double precision NOT NULL,
  output double precision NOT NULL,
  reasoning double precision NOT NULL,
  audio_output double precision NOT NULL,
  images double precision NOT NULL,
  seconds double precision NOT NULL,
  characters double precision NOT NULL,
  searches double precision NOT NULL,
  cost double precision NOT NULL,
  PRIMARY KEY (start, key)
) WITH (fillfactor = 70);
--> statement-breakpoint
CREATE INDEX usage_hours_token ON usage_hours (token_id, start);
--> statement-breakpoint
CREATE INDEX usage_hours_project ON usage_hours (project, start);
--> statement-breakpoint
CREATE INDEX usage_hours_owner ON usage_hours (owner, start) WHERE owner IS NOT NULL;
--> statement-breakpoint
CREATE TABLE usage_days (LIKE usage_hours INCLUDING INDEXES) WITH (fillfactor = 70);
--> statement-breakpoint
DO $do$
DECLARE
  counts text[] := ARRAY['attempts', 'unpriced', 'input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'audio_input', 'image_input',
    'output', 'reasoning', 'audio_output', 'images', 'seconds', 'characters', 'searches', 'cost'];
  groups text := 'token_id, project, owner, tags, model, provider, outcome, charged';
  -- The counts of each row of the ledger: negative ones for a row as it was.
  signed text := (SELECT string_agg(CASE name
    WHEN 'attempts' THEN 'sum(sign)'
    WHEN 'unpriced' THEN 'sum(CASE WHEN cost IS NULL THEN sign ELSE 0 END)'
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
  EXECUTE format(roll_up, 'SELECT 1 AS sign, * FROM usage');
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
