import { randomUUID } from 'node:crypto';
import { type Bus, UsageWriter } from '@model-gateway/bus';
import { noUsage, type UsageRecord } from '@model-gateway/canonical';
import { sampleModels, sampleProjects } from './config.ts';

const dayMs = 86_400_000;

/** A token of the sample, to which requests are attributed. */
export interface SampleToken {
  id: string;
  project: string;
  owner: string;
}

/** Writes the usage of the last `days` to the ledger: more by day than by night, and fewer at weekends. */
export async function writeHistory(
  bus: Bus,
  { tokens, days, now = Date.now() }: { tokens: readonly SampleToken[]; days: number; now?: number },
): Promise<void> {
  const writer = new UsageWriter(bus);
  const random = seeded(7);
  for (let at = now - days * dayMs; at < now; at += (20 * 60_000) / (1 + 6 * busyAt(at) * random())) {
    const record = recordAt(Math.round(at), tokens, random);
    if (record) writer.add(record);
  }
  await writer.close();
}

/** Returns how busy a time is, from 0 to 1. */
function busyAt(at: number): number {
  const date = new Date(at);
  const isWeekend = date.getUTCDay() % 6 === 0;
  const ofDay = Math.max(0, Math.sin(((date.getUTCHours() - 5) / 16) * Math.PI));
  return ofDay * (isWeekend ? 0.25 : 1);
}

function recordAt(at: number, tokens: readonly SampleToken[], random: () => number): UsageRecord | undefined {
  const project = pick(sampleProjects, random());
  const model = pick(sampleModels, random());
  const mine = tokens.filter(token => token.project === project.name);
  const token = mine[Math.floor(random() * mine.length)];
  if (!token) return undefined;
  const failed = random() < 0.03;
  const firstMs = Math.round(model.firstMs * (0.6 + random() ** 3 * 3));
  const input = Math.round(600 + random() ** 3 * 40_000);
  const output = Math.round(100 + random() ** 2 * 4_000);
  return {
    ...{ id: idAt(at, random), requestId: `req_${randomUUID().replaceAll('-', '')}`, at },
    ...{ ms: firstMs + output * 9, operation: 'generate', format: 'chat', stream: true },
    ...{ model: model.name, provider: model.provider, upstreamModel: model.upstream },
    ...{ tokenId: token.id, project: project.name, owner: token.owner, tags: { team: project.team } },
    ...(failed
      ? {
          outcome: 'failed',
          error: random() < 0.5 ? 'rate-limited' : 'upstream',
          charged: false,
          usage: null,
        }
      : {
          ...{ outcome: 'answered', finishReason: 'stop', charged: true, firstMs },
          usage: { ...noUsage, input, cachedInput: Math.round(input * random() * 0.7), output },
        }),
  };
}

function pick<Item extends { part: number }>(items: readonly Item[], at: number): Item {
  let end = 0;
  for (const item of items) {
    end += item.part;
    if (at < end) return item;
  }
  return items[0] as Item;
}

/** Returns a UUIDv7 of a time. */
function idAt(at: number, random: () => number): string {
  const time = at.toString(16).padStart(12, '0');
  const hex = Array.from({ length: 18 }, () => Math.floor(random() * 16).toString(16)).join('');
  const text = `${time}7${hex.slice(0, 3)}8${hex.slice(3)}`;
  return [0, 8, 12, 16, 20].map((from, place, all) => text.slice(from, all[place + 1] ?? 32)).join('-');
}

/** Returns the same numbers from 0 to 1 each time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
