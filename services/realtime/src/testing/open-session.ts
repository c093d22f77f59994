import type { Call, Caller, CallRequest } from '@model-gateway/bus';
import type { GenerateEvent } from '@model-gateway/canonical';
import { Catalog, type ModelRecord, type ProviderRecord, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { type MemoryBudget, TargetHealth } from '@model-gateway/ingress';
import { vi } from 'vitest';
import { EmulatedSession } from '../socket/emulated-session.ts';

const timeouts = { firstToken: 60_000, idle: 60_000, total: 60_000 };
const record = { version: 1, position: 0, created: 0, timeouts, limits: {}, drop: [] };
export const modelRecord = (
  name: string,
  providers: string[],
  realtime?: ModelRecord['realtime'],
): ModelRecord => ({
  ...record,
  name,
  targets: providers.map(provider => ({ provider, model: `${name}-there` })),
  ...(realtime && { realtime }),
});

export function catalogOf(models: ModelRecord[]): Catalog {
  const catalog = new Catalog();
  for (const name of ['near', 'far'])
    catalog.put(recordKey('provider', name), {
      name,
      pool: name,
      kind: 'openai',
      version: 1,
    } as unknown as ProviderRecord);
  for (const each of models) catalog.put(recordKey('model', each.name), each);
  return catalog;
}

const envelope = {
  requestId: 'req_1',
  operation: 'realtime',
  format: 'realtime',
  model: 'talker',
  stream: true,
  token: { id: 't', project: 'p' },
  headers: {},
} as const;

interface SessionOptions {
  providers?: string[];
  held?: MemoryBudget;
  beta?: boolean;
}

interface Asked extends CallRequest {
  call: Record<'consumed' | 'cancel' | 'giveUp', ReturnType<typeof vi.fn>>;
}

export const start: GenerateEvent = { type: 'start', id: '', model: '' };
export const finish: Extract<GenerateEvent, { type: 'finish' }> = {
  type: 'finish',
  reason: 'stop',
  raw: null,
  usage: null,
};
export const delta = (text: string): GenerateEvent => ({ type: 'part-delta', index: 0, text });
export const part: GenerateEvent = { type: 'part-start', index: 0, part: { type: 'text' } };

/** Opens a session of a client that takes nothing until the test says so. Without `held` its memory is not counted. */
export function openSession({ providers = ['near'], held, beta }: SessionOptions = {}) {
  const asked: Asked[] = [];
  const caller = {
    call(request: CallRequest) {
      const call = { losses: 0, queuedMs: 0, cancel: vi.fn(), giveUp: vi.fn(), consumed: vi.fn() };
      asked.push({ ...request, call });
      return call as unknown as Call;
    },
  } as Caller;
  const share = { take: vi.fn(), give: vi.fn(), release: vi.fn() };
  const endSlot = vi.fn();
  const takeSlot = vi.fn(async () => ({ end: endSlot }));
  const talker = modelRecord('talker', providers);
  const clock = new ManualClock();
  const session = new EmulatedSession(
    { model: talker, envelope, endsAt: clock.now() + 60_000, prepared: undefined, ...(beta && { beta }) },
    {
      caller,
      catalog: catalogOf([talker]),
      health: new TargetHealth('', clock),
      held: held ?? ({ share: () => share } as never),
      queueMs: 1_000,
      takeSlot,
    },
  );
  const received: Record<string, unknown>[] = [];
  let weight = 0;
  const onEnd = vi.fn();
  session.listen({
    onMessage({ data }, each) {
      received.push(JSON.parse(Buffer.from(data).toString()));
      weight += each;
    },
    onEnd,
  });
  return {
    session,
    asked,
    share,
    takeSlot,
    endSlot,
    received,
    onEnd,
    send: (event: object) => session.send({ data: Buffer.from(JSON.stringify(event)), text: true }),
    types: () => received.map(({ type }) => type),
    take() {
      const taken = weight;
      weight = 0;
      session.consumed(taken);
    },
  };
}
