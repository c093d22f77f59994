import type { SentAnswer } from '@model-gateway/simulator';
import { expect } from 'vitest';
import type { Fleet } from './fleet.ts';
import { type Entry, ledger } from './ledger.ts';

/** The share by which the estimated tokens of an attempt may differ from those that the simulator sent. */
const estimateShare = 0.1;
/** An estimate by characters may be more by so many at the start of a text: its first four tokens have 21, which are taken for six. */
const mostAtStart = 2;
/** The most tokens that the simulator has sent and a worker has not read when an attempt breaks off, on a busy machine: a number, or a share of a fast stream. */
const mostUnread = 20;
const unreadShare = 0.05;

/**
 * Waits until the ledger has each attempt that reached the simulator once, with its tokens. Requires that each request has a model name of its own.
 */
export async function expectAddsUp(fleet: Fleet): Promise<Entry[]> {
  let entries: Entry[] = [];
  const look = async () => {
    entries = await ledger(fleet);
    return differences(await fleet.answers(), entries);
  };
  await expect.poll(look, { timeout: 30_000, interval: 250 }).toEqual([]);
  return entries;
}

/** Compares the simulator's answers with the ledger. Returns a line for each difference. */
export function differences(answers: readonly SentAnswer[], entries: readonly Entry[]): string[] {
  const byModel = Map.groupBy(entries, ({ upstreamModel }) => upstreamModel);
  const answered = Map.groupBy(answers, ({ model }) => model);
  const models = new Set([...byModel.keys(), ...answered.keys()]);
  return [...models].flatMap(model => {
    const difference = differenceOf(answered.get(model) ?? [], byModel.get(model) ?? []);
    return difference ? [`${model}: ${difference}`] : [];
  });
}

/** Compares the answers to one request with its attempts. */
function differenceOf(answers: readonly SentAnswer[], entries: readonly Entry[]): string | undefined {
  // An exact entry is that of an answer which ended, though it may be near one that broke off, too.
  const left = answers.toSorted((a, b) => Number(b.ended) - Number(a.ended));
  for (const entry of entries.toSorted((a, b) => certainty(b) - certainty(a))) {
    const at = left.findIndex(answer => isSame(answer, entry));
    if (at >= 0) left.splice(at, 1);
    // A worker that is killed between the announcement of an attempt and its call leaves one that no upstream saw.
    else if (entry.outcome !== 'lost' || entry.charged)
      return `${shown(entry)} is none of ${answers.map(shown).join(' and ') || 'no answers'}`;
  }
  return left.length > 0 ? `${left.map(shown).join(' and ')} is not in the ledger` : undefined;
}

function shown(of: Entry | SentAnswer): string {
  if ('sent' in of) return JSON.stringify(of);
  const { requestId, outcome, charged, usage } = of;
  const { input, output, estimated } = usage ?? {};
  return JSON.stringify({ requestId, outcome, charged, input, output, estimated });
}

/** Attempts with exact tokens are compared first, then those with estimates. */
function certainty({ usage }: Entry): number {
  if (!usage) return 0;
  return usage.estimated ? 1 : 2;
}

function isSame({ input, output, sent, ended }: SentAnswer, { usage, outcome, charged }: Entry): boolean {
  // A call may be cancelled, and its worker killed, between the end of an answer and its arrival.
  if (!usage) return !ended || !charged || outcome === 'lost';
  // Of a lost worker's answer it is known what came of it: nothing of a whole one. An answer may end while it is given up.
  if (outcome === 'lost' || !charged) return usage.output <= mostOf(sent);
  if (usage.estimated) return isNear(usage.output, sent);
  return usage.input === input && (ended ? usage.output === output : isNear(usage.output, sent));
}

function isNear(tokens: number, sent: number): boolean {
  const least = sent - Math.max(mostUnread, (estimateShare + unreadShare) * sent);
  return tokens <= mostOf(sent) && tokens >= least;
}

/** Returns the most tokens that are estimated of so many that were sent. */
function mostOf(sent: number): number {
  return sent + Math.max(mostAtStart, estimateShare * sent);
}
