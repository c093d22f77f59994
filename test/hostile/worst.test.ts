import { afterAll, beforeAll, expect, test } from 'vitest';
import { worstAnswers, worstRequests } from '../linear/worst.ts';
import type { Attack } from './attack.ts';
import { AttackedGateway, type Figures } from './gateway.ts';
import { blockedMs } from './probe.ts';
import { post, type Sent } from './send.ts';

/** The longest CPU time of a main thread at a stretch, in milliseconds. */
const mostBusyMs = 100;
/** The longest gap in the victim's stream of ten chunks a second, on a busy machine. */
const gapMs = 3_000;

/** Prefixes of the models' names, each of an upstream of another format. */
const upstreams: Record<string, string> = {
  chat: 'to-chat/',
  messages: 'to-messages/',
  'generate-content': 'to-gemini/',
  responses: 'to-responses/',
};

/** The dearest requests, to an upstream of each format. */
const requests = worstRequests(20).flatMap(({ what, path, body }): Attack[] =>
  Object.entries(upstreams).map(([format, prefix]) => ({
    name: `${what}, to ${format}`,
    async run(_gateway, attacker) {
      const model = `${prefix}m`;
      const text = JSON.stringify('model' in body ? { ...body, model } : body);
      await answered(attacker, path.replace('{model}', model), text);
    },
  })),
);

/** The dearest answers, for clients of two other formats, whole and streamed. */
const answers = worstAnswers(20, Object.keys(upstreams)).map(
  ({ what, format, at }): Attack => ({
    name: what,
    async run(_gateway, attacker) {
      const model = `${upstreams[format]}grown-${format}-${at}`;
      for (const stream of [true, false]) {
        const asked = { model, stream, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
        await answered(attacker, '/v1/messages', JSON.stringify(asked));
        await answered(
          attacker,
          '/v1/responses',
          JSON.stringify({ model, stream, store: false, input: 'x' }),
        );
      }
    },
  }),
);

/** Sends a request, which may be refused. */
async function answered(attacker: Sent, path: string, body: string): Promise<void> {
  const { status, text } = await post(attacker, path, body);
  if (status === 0) throw new Error(`${path}: ${text}`);
}

let gateway: AttackedGateway;
let attacker: Sent;
beforeAll(async () => {
  gateway = await AttackedGateway.start();
  attacker = { baseUrl: gateway.ready.baseUrl, token: await gateway.token('attacker') };
  // Code of the first use is compiled.
  for (const attack of [...requests, ...answers]) await attack.run(gateway, attacker).catch(() => {});
}, 600_000);
afterAll(() => gateway.stop());

test.for([...requests, ...answers])('no loop is busy for long by $name', async attack => {
  await gateway.figures();
  await attack.run(gateway, attacker);
  const { victim, processes } = await gateway.figures();
  expect(victim.failures).toEqual([]);
  expect(victim.gapMs).toBeLessThan(gapMs);
  expect(busy(processes)).toEqual([]);
});

/** The processes whose main thread used the processor for too long at a stretch. */
function busy(processes: Figures['processes']): string[] {
  return Object.entries(processes).flatMap(([name, probed]) => {
    const ms = blockedMs(probed);
    return ms > mostBusyMs ? [`${name} was busy for ${Math.round(ms)} ms`] : [];
  });
}
