import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { openEmbedded } from '../services/control/src/database/embedded.ts';
import { migrations } from '../services/control/src/database/open.ts';
import { Fleet, untilReady } from '../test/fleet/fleet.ts';
import { memoryOf } from './process-usage.ts';

/** The longest start with many tokens, in milliseconds. */
const lateMs = 300_000;
/** Time after which memory is read, in milliseconds. */
const settleMs = 5_000;

/** The cost of the tokens in an ingress. */
interface TokensCost {
  /** From its start until it is ready, in milliseconds. */
  readyMs: number;
  /** Its own memory some seconds later, in MiB. */
  memoryMb: number;
}

export interface TokensFigures {
  tokens: number;
  /** With one token. */
  none: TokensCost;
  all: TokensCost;
  /** From the start of control until it has published all of them, in milliseconds. */
  publishedMs: number;
}

/** Measures an ingress that starts with one token, and with many that have scopes and limits. */
export async function measureTokens(tokens: number, signal: AbortSignal): Promise<TokensFigures> {
  await using fleet = await Fleet.start();
  const none = await startIngress(fleet, signal);
  await fleet.control.stop();
  await insertTokens(fleet.folder, tokens);
  const began = performance.now();
  await fleet.startControl(lateMs);
  const publishedMs = performance.now() - began;
  return { tokens, none, all: await startIngress(fleet, signal), publishedMs };
}

async function startIngress(fleet: Fleet, signal: AbortSignal): Promise<TokensCost> {
  const began = performance.now();
  const front = await fleet.startFront();
  await untilReady(front, lateMs);
  const readyMs = performance.now() - began;
  await pause(settleMs, undefined, { signal });
  const { front: memoryMb = 0 } = memoryOf({ front: front.pid }).own;
  await front.stop();
  return { readyMs, memoryMb };
}

/** Adds tokens to the embedded database of a control that is stopped. */
async function insertTokens(folder: string, count: number): Promise<void> {
  const database = await openEmbedded(folder, migrations);
  const settings = {
    models: ['gpt-*', 'claude-*'],
    endpoints: ['chat', 'messages'],
    limits: { requestsPerMinute: 600, tokensPerMinute: 1_000_000 },
  };
  await database.db.execute(sql`
    insert into tokens (project_id, name, hash, prefix, settings)
    select projects.id, 'token ' || i, rtrim(translate(encode(sha256(i::text::bytea), 'base64'), '+/', '-_'), '='), 'sk-',
      ${JSON.stringify(settings)}::jsonb
    from (select id from projects limit 1) projects, generate_series(1, ${sql.raw(String(count))}) i`);
  await database.close();
}
