import { createServer, type RequestListener } from 'node:http';
import type { Envelope, GenerateEvent, UsageRecord } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import type { InputFacts } from '@model-gateway/formats/upstream';
import { fixedConnection } from '@model-gateway/providers';
import type { Agent } from 'undici';
import { afterAll } from 'vitest';
import type { AttemptOptions } from '../exchange.ts';
import { closed, listening } from './connect-proxy.ts';
import { WatchedAgent } from './watched-agent.ts';

type Upstream = AttemptOptions['upstream'];
type Input = AttemptOptions['input'];
type BodyOf<Each> = Each extends unknown ? Omit<Each, keyof InputFacts> : never;

interface Fields extends Partial<Pick<AttemptOptions, 'timeouts' | 'clock'>> {
  upstream: Pick<Upstream, 'dialect'> & Partial<Upstream>;
  input: BodyOf<Input>;
  signal?: AbortSignal;
}

/** Starts an upstream for the tests of a file, and returns its agent and what makes the options of attempts at it. */
export async function startUpstream(answer: RequestListener, agent: Agent.Options = {}) {
  const server = createServer(answer);
  const origin = `http://127.0.0.1:${await listening(server)}`;
  const dispatcher = new WatchedAgent(agent);
  afterAll(async () => {
    await dispatcher.destroy();
    closed(server);
  });

  /** Options of an attempt, and the events, announcements and records that it makes; the ids count from 1. */
  function attemptOf(envelope: Envelope, { signal = new AbortController().signal, ...fields }: Fields) {
    const events: GenerateEvent[] = [];
    const announced: string[] = [];
    const records: UsageRecord[] = [];
    const { clock = new ManualClock(), timeouts } = fields;
    const connection = fixedConnection(origin, {});
    const options: AttemptOptions = {
      call: {
        envelope,
        signal,
        drained: Promise.resolve(),
        send: sent => events.push(...sent) > 0,
        announce: ({ provider, model }) => `${announced.push(`${provider}/${model}`)}`,
      },
      upstream: { provider: 'p', connection, headers: {}, original: true, batch: 1, ...fields.upstream },
      input: { envelope, model: 'm', drop: [], limits: {}, ...fields.input } as Input,
      timeouts: timeouts ?? { firstToken: 60_000, idle: 60_000, total: 120_000 },
      clock,
      usage: { add: record => void records.push(record) },
    };
    return { options, events, announced, records };
  }
  return { dispatcher, attemptOf };
}
