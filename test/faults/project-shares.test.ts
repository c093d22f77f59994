import { once } from 'node:events';
import { connectBus } from '@model-gateway/bus';
import type { Envelope } from '@model-gateway/canonical';
import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { decodeMessage, FrameKind, readHead } from '../../shared/bus/src/frame.ts';
import type { OpenHead } from '../../shared/bus/src/protocol.ts';
import { callSubject } from '../../shared/bus/src/subjects.ts';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let stack: Stack;
let stopReading: () => Promise<void>;
/** The envelopes of all calls. */
const envelopes: Envelope[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
  const provider = { name: 'chat', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` };
  const models = [
    { name: 'bridged', targets: [{ provider: 'chat', model: 'sim-fast' }], realtime: 'upstream' as const },
    { name: '*', targets: [{ provider: 'chat', model: '*' }] },
  ];
  const projects = [{ name: 'heavy', weight: 2.5 }];
  stack = await startStack({ catalog: { providers: [provider], models, projects } });
  const bus = await connectBus({ url: stack.nats.url, name: 'test' });
  bus.calls.subscribe(callSubject('default'), {
    callback: (_, { data }) => {
      const [frame] = decodeMessage(data);
      if (frame?.kind === FrameKind.open) envelopes.push(readHead<OpenHead>(frame).envelope);
    },
  });
  await bus.calls.flush();
  stopReading = () => bus.close();
});
afterAll(async () => {
  await stopReading?.();
  await stack?.stop();
  await simulator?.close();
});

async function post(token: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${stack.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim-fast', ...body }),
  });
  expect([path, response.status, await response.text()]).toEqual([path, 200, expect.anything()]);
}

function openSession(token: string): WebSocket {
  const url = `${stack.url.replace('http', 'ws')}/v1/realtime?model=bridged`;
  return new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
}

test.each([
  ['heavy', { weight: 2.5 }],
  ['usual', {}],
])('every kind of call of the project %s tells the worker its weight: %o', async (project, weight) => {
  const token = await stack.addToken({ id: project, project });
  envelopes.length = 0;
  const messages = [{ role: 'user', content: 'x' }];
  await post(token, 'chat/completions', { messages });
  await post(token, 'embeddings', { model: 'sim-embed', input: 'x' });
  await post(token, 'responses', { input: 'x', background: true });
  const session = openSession(token);
  await once(session, 'open');
  await expect
    .poll(() => envelopes.map(({ operation }) => operation).toSorted())
    .toEqual(['embed', 'generate', 'generate', 'realtime']);
  session.terminate();
  for (const { token: sent } of envelopes) expect(sent).toEqual({ id: project, project, ...weight });
});
