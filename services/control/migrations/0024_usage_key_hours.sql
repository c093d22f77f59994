-- Roll-ups of hours by one column each: sums over weeks by a project, owner, model or provider read few of them. Control fills the table
-- with the hours before `until`, an hour at a time. Triggers add what is recorded later of those hours, so a key may have several rows.
CREATE TABLE usage_key_hours (
  start timestamptz NOT NULL,
  -- The column: project, owner, model or provider.
  kind text NOT NULL,
  key text,
  outcome text NOT NULL,
  charged boolean NOT NULL,
  attempts bigint NOT NULL,
  unpriced bigint NOT NULL,
  timed bigint NOT NULL,
  ms double precision NOT NULL,
  begun bigint NOT NULL,
  first_ms double precision NOT NULL,
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
  cost double precision NOT NULL
);
--> statement-breakpoint
CREATE INDEX usage_key_hours_start ON usage_key_hours (start, kind);
--> statement-breakpoint
CREATE TABLE usage_key_hours_until (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  until timestamptz NOT NULL
);
--> statement-breakpoint
-- A ledger without roll-ups has nothing to be filled with.
INSERT INTO usage_key_hours_until (until)
  SELECT CASE WHEN EXISTS (SELECT FROM usage_hours) THEN '-infinity' ELSE date_trunc('hour', now(), 'UTC') END;
--> statement-breakpoint
DO $do$
DECLARE
  sums text[] := ARRAY['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'audio_input', 'image_input', 'output', 'reasoning',
    'audio_output', 'images', 'seconds', 'characters', 'searches'];
  counts text := 'attempts, unpriced, timed, ms, begun, first_ms, ' || array_to_string(sums, ', ') || ', cost';
  kinds text := $sql$CROSS JOIN LATERAL (VALUES ('project', project), ('owner', owner), ('model', model), ('provider', provider))
    AS keys (kind, key)$sql$;
  -- The counts of a row of the ledger: negative ones for a row as it was.
  late text := format($sql$
    INSERT INTO usage_key_hours (start, kind, key, outcome, charged, %1$s)
    SELECT date_trunc('hour', at, 'UTC'), kind, key, outcome, charged,
      sum(sign), sum(CASE WHEN cost IS NULL THEN sign ELSE 0 END), sum(sign), sum(sign * ms::double precision),
      sum(CASE WHEN stream AND first_ms IS NOT NULL THEN sign ELSE 0 END),
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
