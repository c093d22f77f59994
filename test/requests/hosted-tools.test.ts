import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
/** The secret of a token with a budget. */
let limited: string;

beforeAll(async () => {
  const kinds = { chat: 'openai', responses: 'openai', messages: 'anthropic', gemini: 'gemini' };
  const paths: Record<string, string> = { gemini: '/v1beta', messages: '' };
  gateway = await startSimulated(url => ({
    providers: Object.entries(kinds).map(([name, kind]) => ({
      ...{ name, kind, baseUrl: `${url}${paths[name] ?? '/v1'}`, apiKey: { value: 'key' } },
      ...(kind === 'openai' && { api: name }),
    })),
    models: [
      ...Object.keys(kinds).map(name => ({
        ...{ name, targets: [{ provider: name, model: 'sim-fast' }], price: { input: 1, output: 2 } },
      })),
      {
        ...{ name: 'dropping', targets: [{ provider: 'responses', model: 'sim-fast' }] },
        ...{ price: { input: 1, output: 2 }, drop: ['tools', 'service_tier'] },
      },
    ],
  }));
  limited = await gateway.stack.addToken({ id: 'limited', budget: { amount: 1, period: 'total' } });
});
afterAll(() => gateway?.stop());

const chat = { messages: [{ role: 'user', content: 'Hi' }] };
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const gemini = '/v1beta/models/gemini:generateContent';

async function send(path: string, body: object, token: string) {
  const response = await fetch(`${gateway.stack.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, id: response.headers.get('x-request-id'), text: await response.text() };
}

const asks: [what: string, path: string, body: object, record: object][] = [
  [
    'chat',
    '/v1/chat/completions',
    { model: 'chat', ...chat, web_search_options: {} },
    { hostedTools: ['web_search'] },
  ],
  [
    'chat',
    '/v1/chat/completions',
    { model: 'chat', ...chat, service_tier: 'priority' },
    { serviceTier: 'priority' },
  ],
  [
    'messages',
    '/v1/messages',
    {
      model: 'messages',
      max_tokens: 9,
      ...chat,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
    { hostedTools: ['web_search'] },
  ],
  [
    'generate content',
    gemini,
    { contents, tools: [{ codeExecution: {} }] },
    { hostedTools: ['code_execution'] },
  ],
  ['generate content', gemini, { contents, serviceTier: 'flex' }, { serviceTier: 'flex' }],
  ...['image_generation', 'web_search', 'code_interpreter', 'file_search', 'mcp'].map(
    (type): (typeof asks)[number] => [
      `responses with ${type}`,
      '/v1/responses',
      { model: 'responses', input: 'Hi', tools: [{ type }] },
      { hostedTools: [type] },
    ],
  ),
  [
    'responses',
    '/v1/responses',
    { model: 'responses', input: 'Hi', service_tier: 'flex' },
    { serviceTier: 'flex' },
  ],
];

test.each(asks)(
  '%s: what has no price is refused with a budget, and recorded without one: %s %j',
  async (_, path, body, record) => {
    const refused = await send(path, body, limited);
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('is unknown, so a budget cannot hold'),
    ]);
    const answered = await send(path, body, gateway.stack.token);
    expect([answered.status, answered.text]).toEqual([200, expect.any(String)]);
    expect(await gateway.stack.recordsOf(answered.id)).toMatchObject([{ outcome: 'answered', ...record }]);
  },
);

test('what the model drops is not recorded', async () => {
  const body = { model: 'dropping', input: 'Hi', tools: [{ type: 'mcp' }], service_tier: 'priority' };
  const { status, id } = await send('/v1/responses', body, gateway.stack.token);
  expect(status).toBe(200);
  const [record] = await gateway.stack.recordsOf(id);
  expect(record).not.toHaveProperty('hostedTools');
  expect(record?.serviceTier).not.toBe('priority');
});
