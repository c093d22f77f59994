import type pg from 'pg';

/** A ledger to be filled. */
export interface SeededLedger {
  records: number;
  /** The days before today over which the records are spread. */
  days: number;
  tokens: number;
}

/**
 * Adds records to the ledger a day at a time. A tenth of the tokens makes half of the attempts; each has an owner, two tags and two
 * models. Triggers make the roll-ups, as for records that control adds.
 */
export async function seed(client: pg.Client, ledger: SeededLedger, done: (records: number) => void) {
  const perDay = Math.ceil(ledger.records / ledger.days);
  for (let day = ledger.days; day > 0; day--) {
    await client.query(ofDay, [day, perDay, ledger.tokens]);
    done(perDay * (ledger.days - day + 1));
  }
  await client.query('vacuum analyze');
}

const ofDay = `
  insert into usage (id, request_id, at, ms, first_ms, operation, format, stream, model, provider, upstream_model, token_id, project,
    owner, tags, outcome, charged, known, estimated, by_caller, input, cached_input, cache_write_5m, cache_write_1h, audio_input,
    image_input, output, reasoning, audio_output, raw, cost, price_version, final, images, seconds, characters, searches, web_searches)
  select
    (lpad(to_hex(ms), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid,
    'req_' || substr(hash, 1, 20), to_timestamp(ms / 1000.0), 1200, 300, 'generate', 'chat', true,
    'model-' || model, 'provider-' || model % 4, 'upstream-' || model, 'token-' || token, 'project-' || token % 50,
    'owner-' || token % 200, jsonb_build_object('team', 'team-' || token % 20, 'env', (array['prod', 'test'])[1 + token % 2]),
    outcome, outcome = 'answered', outcome = 'answered', false, false, 800, 100, 0, 0, 0, 0, 200, 50, 0,
    '{"prompt_tokens": 800, "completion_tokens": 200, "total_tokens": 1000}',
    case when outcome = 'answered' then 0.0011 end, 'catalog-1', true, 0, 0, 0, 0, 0
  from (
    select token, (token + (pick > 0.8)::int) % 10 as model, md5(n || pick::text) as hash,
      (case when pick > 0.97 then 'failed' when pick < 0.01 then 'cancelled' else 'answered' end) as outcome,
      (extract(epoch from date_trunc('day', now(), 'UTC') - make_interval(days => $1::int)) * 1000)::bigint + n * 86400000 / $2::int as ms
    from (
      select n::bigint, random() as pick, floor(power(random(), 3) * $3::int)::int as token from generate_series(0, $2::int - 1) as n
    ) as drawn
  ) as made`;
