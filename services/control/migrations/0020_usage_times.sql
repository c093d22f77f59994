-- Times in roll-ups: `ms` of the `timed` attempts together, and `first_ms` of the streams that have `begun`. Roll-ups of earlier attempts
-- have none, so that this migration takes no time.
ALTER TABLE usage_hours ADD COLUMN timed bigint NOT NULL DEFAULT 0, ADD COLUMN ms double precision NOT NULL DEFAULT 0,
  ADD COLUMN begun bigint NOT NULL DEFAULT 0, ADD COLUMN first_ms double precision NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE usage_days ADD COLUMN timed bigint NOT NULL DEFAULT 0, ADD COLUMN ms double precision NOT NULL DEFAULT 0,
  ADD COLUMN begun bigint NOT NULL DEFAULT 0, ADD COLUMN first_ms double precision NOT NULL DEFAULT 0;
--> statement-breakpoint
-- The functions of the triggers as they were, with the new counts.
DO $do$
DECLARE
  counts text[] := ARRAY['attempts', 'unpriced', 'timed', 'ms', 'begun', 'first_ms', 'input', 'cached_input', 'cache_write_5m',
    'cache_write_1h', 'audio_input', 'image_input', 'output', 'reasoning', 'audio_output', 'images', 'seconds', 'characters', 'searches',
    'cost'];
  groups text := 'token_id, project, owner, tags, model, provider, outcome, charged';
  -- The counts of each row of the ledger: negative ones for a row as it was.
  signed text := (SELECT string_agg(CASE name
    WHEN 'attempts' THEN 'sum(sign)'
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
  EXECUTE format('CREATE OR REPLACE FUNCTION usage_inserted() RETURNS trigger LANGUAGE plpgsql AS %L',
    format('BEGIN %s; RETURN NULL; END', format(roll_up, 'SELECT 1 AS sign, * FROM new_rows')));
  EXECUTE format('CREATE OR REPLACE FUNCTION usage_updated() RETURNS trigger LANGUAGE plpgsql AS %L',
    format('BEGIN IF EXISTS (SELECT FROM new_rows) THEN %s; END IF; RETURN NULL; END',
      format(roll_up, 'SELECT 1 AS sign, * FROM new_rows UNION ALL SELECT -1, * FROM old_rows')));
END
$do$;
