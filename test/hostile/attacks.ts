import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Attack, asking, body, chat, generate, list, must } from './attack.ts';
import { brokenUpstreams } from './broken-upstreams.ts';
import type { AttackedGateway } from './gateway.ts';
import { holds } from './holds.ts';
import { post, postCompressed, type Sent } from './send.ts';

/** Bodies over a JSON limit, and the largest within all limits. */
const bodies: Attack[] = [
  {
    name: '219 bytes that become 25 MB of tiny values',
    async run(_gateway, attacker) {
      const text = `{"contents":[{"role":"user","parts":[${list(1_900_000, '{"text":"a"}')}]}]}`;
      must('compressed', await postCompressed(attacker, generate, text), 413);
    },
  },
  body(
    '1.1 million messages',
    chat,
    () => `{"model":"gemini","messages":[${list(1_100_000, '{"role":"user","content":"a"}')}]}`,
    400,
    413,
  ),
  body(
    '2.4 million keys',
    chat,
    () => `{"model":"m",${Array.from({ length: 2_400_000 }, (_, i) => `"${i}":1`).join(',')}}`,
    400,
    413,
  ),
  body(
    'a million messages to count',
    '/v1/messages/count_tokens',
    () => `{"model":"m","messages":[${list(900_000, '{"role":"user","content":"a"}')}]}`,
    400,
    413,
  ),
  body(
    'a million items of responses',
    '/v1/responses',
    () => `{"model":"gemini","store":false,"input":[${list(900_000, '{"role":"user","content":"a"}')}]}`,
    400,
    413,
  ),
  body(
    'as many values as are allowed, translated',
    chat,
    () =>
      `{"model":"gemini","messages":[${list(8_000, '{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"a"},{"type":"text","text":"a"}]}')}]}`,
    200,
  ),
  body(
    'as many turns as are allowed, to another format',
    generate.replace('gemini:', 'm:'),
    () => `{"contents":[${list(9_999, '{"role":"user","parts":[{"text":"a"}]}')}]}`,
    200,
  ),
  body(
    'as many token ids as are allowed',
    '/v1/embeddings',
    () => `{"model":"m","input":[${list(2_000, `[${list(146, '12345')}]`)}]}`,
    200,
    502,
  ),
  body(
    'a text of 31 MB, translated',
    chat,
    () => asking('gemini').replace('"x"', `"${'x'.repeat(31_000_000)}"`),
    200,
  ),
  body(
    'a text of 31 MB of escapes, translated',
    chat,
    () => asking('gemini').replace('"x"', `"${'\\n'.repeat(15_500_000)}"`),
    200,
  ),
  body(
    'an image of 20 MB, translated',
    chat,
    () =>
      asking('gemini').replace(
        '"x"',
        `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'A'.repeat(28_000_000)}"}}]`,
      ),
    200,
  ),
  body(
    'blanks of 31 MB',
    chat,
    () => asking('m').replace(',"messages"', `,${' '.repeat(31_000_000)}"messages"`),
    200,
  ),
  body('a model that a case-blind reader takes', chat, () => asking('m', ',"MODEL":"expensive"'), 400),
];

const turns = (count: number) => `{"contents":[${list(count, '{"role":"user","parts":[{"text":"a"}]}')}]}`;
const deepCall = `{"id":"c","type":"function","function":{"name":"f","arguments":"[${list(90_000, '1e1')}]"}}`;

/** Requests within every limit that cost the most, by their number or content. */
const manyOrNested: Attack[] = [
  {
    name: '200 bodies of 9,900 turns at once',
    async run(_gateway, attacker) {
      const text = turns(9_900);
      const sent = Array.from({ length: 200 }, () => post(attacker, generate.replace('gemini:', 'm:'), text));
      for (const answer of await Promise.all(sent)) must('one of 200', answer, 200, 429, 503);
    },
  },
  {
    name: '1,000 bodies of 9,900 turns at once, in 700 bytes each',
    async run(_gateway, attacker) {
      const text = turns(9_900);
      const sent = Array.from({ length: 1_000 }, () => postCompressed(attacker, generate, text));
      for (const answer of await Promise.all(sent)) must('one of 1,000', answer, 200, 413, 429, 503);
    },
  },
  body(
    '6 million values in the arguments of 70 calls, translated',
    chat,
    () =>
      `{"model":"gemini","messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[${list(70, deepCall)}]},{"role":"tool","tool_call_id":"c","content":"x"}]}`,
    400,
  ),
  body(
    '30 MB of digits within a text, in a tool',
    chat,
    () =>
      asking(
        'gemini',
        `,"tools":[{"type":"function","function":{"name":"f","description":"${'123456789012345a'.repeat(1_900_000)}"}}]`,
      ),
    200,
  ),
  body('a model name of 30 MB', chat, () => asking('字'.repeat(10_000_000)), 400),
];

/** Names that no ledger, metric or message can hold. */
const names: Attack[] = [
  {
    name: '400 model names of 14 KB, NUL and half a surrogate pair',
    async run(gateway, attacker) {
      for (const name of ['\\u0000', '\\ud800', '\\udc00x', 'x'.repeat(14_500)])
        for (let i = 0; i < 100; i += 50)
          for (const answer of await Promise.all(
            Array.from({ length: 50 }, () => post(attacker, chat, asking(`fixed/${name}`))),
          ))
            must(name.slice(0, 10), answer, 400);
      await ledgerGoesOn(gateway, attacker);
    },
  },
  {
    name: '500 realtime models that are not there, of 8 KB',
    async run({ ready }, attacker) {
      const url = `${ready.baseUrl.replace('http', 'ws')}/v1/realtime?model=`;
      for (let i = 0; i < 500; i += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, j) =>
            refusedSocket(`${url}${'x'.repeat(8_000)}${i + j}`, attacker.token),
          ),
        );
      const front = ready.processes.find(({ name }) => name === 'front');
      const metrics = await (await fetch(`${new URL(front?.healthUrl as string).origin}/metrics`)).text();
      if (metrics.length > 1_000_000)
        throw new Error(`the front's metrics are ${metrics.length} characters long`);
    },
  },
];

/** Responses of an upstream that are invalid, or valid and very long. */
const upstreams: Attack[] = [
  body('an answer of 30 MB of tiny values', chat, () => asking('tiny-values'), 502),
  body('an answer of 60 MB of text', chat, () => asking('one-string'), 200),
  body(
    'an answer of 60 MB of text, translated',
    '/v1/messages',
    () => asking('one-string', ',"max_tokens":10'),
    500,
  ),
  body('a stream of one event of tiny values', chat, () => asking('tiny-event', ',"stream":true'), 502),
  body('a stream of one event of 15 million lines', chat, () => asking('many-lines', ',"stream":true'), 502),
  body('a stream of one event of 30 MB', chat, () => asking('one-event', ',"stream":true'), 200),
  body(
    'a stream of one event of 30 MB, translated',
    '/v1/messages',
    () => asking('one-event', ',"stream":true,"max_tokens":10'),
    200,
  ),
  body(
    'a stream of 200,000 events at once, translated',
    '/v1/messages',
    () => asking('many-events', ',"stream":true,"max_tokens":10'),
    200,
  ),
  body(
    '2,048 vectors of 1,536 numbers',
    '/v1/embeddings',
    () => JSON.stringify({ model: 'vectors', input: Array(2_048).fill('a'), encoding_format: 'float' }),
    200,
  ),
  body(
    '2,048 vectors of 1,536 numbers, translated',
    '/v1beta/models/vectors:batchEmbedContents',
    () =>
      JSON.stringify({
        requests: Array(2_048).fill({ model: 'models/vectors', content: { parts: [{ text: 'a' }] } }),
      }),
    200,
  ),
];

export const attacks: readonly Attack[] = [
  ...bodies,
  ...manyOrNested,
  ...names,
  ...holds,
  ...upstreams,
  ...brokenUpstreams,
];

/** The attacker's next request is in the ledger within some seconds. */
async function ledgerGoesOn({ ready }: AttackedGateway, attacker: Sent): Promise<void> {
  const name = `fixed/${Date.now()}`;
  must('a good name', await post(attacker, chat, asking(name)), 200);
  const headers = { authorization: `Bearer ${ready.adminToken}` };
  for (const late = Date.now() + 15_000; Date.now() < late; await pause(100)) {
    const { data } = (await (
      await fetch(`${ready.baseUrl}/api/v1/usage?model=${encodeURIComponent(name)}`, { headers })
    ).json()) as {
      data: unknown[];
    };
    if (data.length > 0) return;
  }
  throw new Error('the ledger does not have the request after 15 s');
}

function refusedSocket(url: string, token: string): Promise<void> {
  return new Promise(resolve => {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    socket.on('error', () => resolve());
    socket.on('open', () => socket.terminate());
  });
}
