-- Why an attempt failed, in the words of its upstream, and the attempt that its request ended with. Earlier ones count as requests of
-- their own.
ALTER TABLE usage ADD COLUMN upstream_status integer, ADD COLUMN upstream_message text, ADD COLUMN final boolean NOT NULL DEFAULT true;
--> statement-breakpoint
-- Attempts that their requests ended with. NULL in roll-ups of earlier attempts, each of which counts.
ALTER TABLE usage_hours ADD COLUMN requests bigint;
--> statement-breakpoint
ALTER TABLE usage_days ADD COLUMN requests bigint;
--> statement-breakpoint
ALTER TABLE usage_key_hours ADD COLUMN requests bigint;
--> statement-breakpoint
-- The functions of the triggers as they were, with the new count.
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
  added text := (SELECT string_agg(CASE name
    WHEN 'requests' THEN 'requests = coalesce(kept.requests, kept.attempts) + excluded.requests'
    ELSE format('%1$I = kept.%1$I + excluded.%1$I', name) END, ', ') FROM unnest(counts) AS name);
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
--> statement-breakpoint
-- The same of the roll-ups by one column each.
DO $do$
DECLARE
  sums text[] := ARRAY['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'audio_input', 'image_input', 'output', 'reasoning',
    'audio_output', 'images', 'seconds', 'characters', 'searches'];
  counts text := 'attempts, requests, unpriced, timed, ms, begun, first_ms, ' || array_to_string(sums, ', ') || ', cost';
  kinds text := $sql$CROSS JOIN LATERAL (VALUES ('project', project), ('owner', owner), ('model', model), ('provider', provider))
    AS keys (kind, key)$sql$;
  late text := format($sql$
    INSERT INTO usage_key_hours (start, kind, key, outcome, charged, %1$s)
    SELECT date_trunc('hour', at, 'UTC'), kind, key, outcome, charged,
      sum(sign), sum(CASE WHEN final THEN sign ELSE 0 END), sum(CASE WHEN cost IS NULL THEN sign ELSE 0 END), sum(sign),
      sum(sign * ms::double precision), sum(CASE WHEN stream AND first_ms IS NOT NULL THEN sign ELSE 0 END),
      coalesce(sum(CASE WHEN stream THEN sign * first_ms::double precision END), 0), %2$s, coalesce(sum(sign * cost), 0)
    FROM (%%s) AS changed %3$s WHERE at < summed GROUP BY 1, 2, 3, 4, 5$sql$,
    counts, (SELECT string_agg(format('sum(sign * %I::double precision)', name), ', ') FROM unnest(sums) AS name), kinds);
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
  EXECUTE format('CREATE OR REPLACE FUNCTION usage_inserted_late() RETURNS trigger LANGUAGE plpgsql AS %L',
    format(body, inserted, format(late, inserted)));
  EXECUTE format('CREATE OR REPLACE FUNCTION usage_updated_late() RETURNS trigger LANGUAGE plpgsql AS %L',
    format(body, updated, format(late, updated)));
  EXECUTE format('CREATE OR REPLACE FUNCTION usage_sum_keys(hour timestamptz) RETURNS void LANGUAGE sql AS %L', format($sql$
    INSERT INTO usage_key_hours (start, kind, key, outcome, charged, %1$s)
    SELECT start, kind, keys.key, outcome, charged, %2$s FROM usage_hours %3$s WHERE start = hour GROUP BY 1, 2, 3, 4, 5$sql$,
    counts, (SELECT string_agg(CASE trim(name) WHEN 'requests' THEN 'sum(coalesce(requests, attempts))'
      ELSE format('sum(%s)', trim(name)) END, ', ') FROM unnest(string_to_array(counts, ',')) AS name), kinds));
END
$do$;
--> statement-breakpoint
-- Requests that the gateway refused before it called an upstream: how many in each minute, and in each hour once they are older. A
-- process writes what it has counted of a minute so far. Those without a known token have empty ids.
CREATE TABLE refused_counts (
  start timestamptz NOT NULL,
  -- The process that counted; empty for an hour of all.
  process text NOT NULL,
  token_id text NOT NULL,
  project text NOT NULL,
  owner text,
  model text NOT NULL,
  status integer NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (start, process, token_id, model, status, reason)
);
--> statement-breakpoint
-- A few of them, one by one. Ids are UUIDv7, in the order of time.
CREATE TABLE refused_requests (
  id uuid PRIMARY KEY,
  request_id text NOT NULL,
  at timestamptz NOT NULL,
  endpoint text NOT NULL,
  token_id text NOT NULL,
  project text NOT NULL,
  owner text,
  model text NOT NULL,
  status integer NOT NULL,
  reason text NOT NULL,
  code text,
  param text
);
--> statement-breakpoint
CREATE INDEX refused_requests_request ON refused_requests (request_id);
--> statement-breakpoint
CREATE INDEX refused_requests_token ON refused_requests (token_id, id);
--> statement-breakpoint
CREATE INDEX refused_requests_at ON refused_requests (at);
