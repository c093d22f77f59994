import { randomUUID } from 'node:crypto';
import {
  type Envelope,
  GatewayError,
  type GenerateEvent,
  type Operation,
  type OperationRequest,
  type Route,
  toErrorEvent,
  toGatewayError,
} from '@model-gateway/canonical';
import {
  type ProviderRecord,
  providerFormats,
  routeTo,
  type TargetTest,
  type TestResult,
  testMs,
} from '@model-gateway/catalog';
import type { AnswerDeps } from './answer-deps.ts';
import { attempt } from './attempt.ts';
import { behindMs, unknownProvider } from './upstreams.ts';

/** The smallest request of each operation that can be tested. Some vendors refuse a lower limit of tokens. */
const requests = {
  generate: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hi.' }] }], maxTokens: 16 },
  embed: { inputs: ['hi'] },
} satisfies Partial<Record<Operation, OperationRequest>>;

type TestDeps = Pick<AnswerDeps, 'catalog' | 'clock' | 'upstreams' | 'dispatcher'>;

/** Sends a tiny request to a target. It is for no token, and no usage is recorded. */
export async function testTarget(test: TargetTest, deps: TestDeps): Promise<TestResult> {
  const { clock } = deps;
  const start = clock.monotonic();
  const failure = await sendTest(test, deps).catch(toGatewayError);
  const ms = Math.round(clock.monotonic() - start);
  if (!failure) return { ms, error: null };
  return { ms, error: { kind: failure.kind, message: toErrorEvent(failure).message } };
}

async function sendTest(
  { provider: name, model, version }: TargetTest,
  { catalog, clock, upstreams, dispatcher }: TestDeps,
): Promise<GatewayError | undefined> {
  const provider = await catalog.providerOf(name, version, behindMs);
  if (!provider) throw unknownProvider(name);
  const operation = operationOf(provider, model);
  const target = { provider: name, model };
  const timeouts = { firstToken: testMs, idle: testMs, total: testMs };
  const query = { operation, format: 'chat' as const };
  const found = routeTo(provider, target, { timeouts, drop: [], limits: {} }, query);
  if (!found) throw cannotBeTested();
  const route: Route = { ...found, body: 'canonical' };
  const upstream = await upstreams.of(route, operation);
  const envelope = envelopeOf(route, operation);
  let failed: GatewayError | undefined;
  const send = (events: readonly GenerateEvent[]) => {
    for (const event of events)
      if (event.type === 'error') failed = new GatewayError(event.kind, event.message);
    return true;
  };
  const unsent = await attempt(upstream.via?.dispatcher ?? dispatcher, {
    call: {
      envelope,
      send,
      drained: Promise.resolve(),
      signal: new AbortController().signal,
      announce: () => randomUUID(),
    },
    upstream,
    input: {
      ...{ envelope, body: 'canonical', request: requests[operation], original: upstream.original },
      ...{ model, drop: upstream.differences?.omits ?? [], limits: {} },
      differences: upstream.differences,
    },
    timeouts,
    clock,
    usage: { add() {} },
  });
  return unsent ?? failed;
}

function operationOf(provider: ProviderRecord, model: string): keyof typeof requests {
  const served = (each: Operation) => providerFormats(provider, each, model).length > 0;
  const found = (['generate', 'embed'] as const).find(served);
  if (!found) throw cannotBeTested();
  return found;
}

function envelopeOf(route: Route, operation: Operation): Envelope {
  return {
    ...{ requestId: `test_${randomUUID()}`, operation, format: route.format, model: route.model, route },
    ...{ stream: false, textLength: 0, headers: {}, token: { id: 'test', project: 'test' } },
  };
}

function cannotBeTested(): GatewayError {
  return new GatewayError(
    'invalid-request',
    'The provider cannot be tested: it serves neither text nor embeddings.',
  );
}
