import { GatewayError } from '@model-gateway/canonical';
import type { InputBody } from '@model-gateway/formats/upstream';
import { expect, test } from 'vitest';
import { quotedLength, wordsOf } from './upstream-words.ts';

const secrets = {
  origin: 'https://api.example.com',
  headers: { authorization: 'Bearer sk-live-1234567890abcdef' },
};
const call = { envelope: { token: { id: 't' } } } as Parameters<typeof wordsOf>[1]['call'];
const verbatim = (body: object): InputBody => ({ body: 'verbatim', text: Buffer.from(JSON.stringify(body)) });

async function wordsFor(input: InputBody, said: string | undefined, status = 400, storesErrors = true) {
  const error = new GatewayError('upstream', 'The gateway says so.');
  const options = { input, storesErrors, call } as unknown as Parameters<typeof wordsOf>[1];
  return wordsOf(error, options, { status, said }, secrets);
}

const words = 'my blood type is AB negative and my PIN is 4711';
const args = { city: 'Paris in the rain', days: 3, note: 'the third door on the left' };

/** A request of each format with a text in a prompt, in arguments and in results of tools. */
const requests: [string, object][] = [
  [
    'chat',
    {
      model: 'gpt-5-mini-2025-08-07-preview',
      messages: [
        { role: 'user', content: [{ type: 'text', text: words }] },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(args) } },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: JSON.stringify({ answer: words }) },
      ],
    },
  ],
  [
    'messages',
    {
      model: 'gpt-5-mini-2025-08-07-preview',
      system: words,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: args }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: words }] }],
        },
      ],
    },
  ],
  [
    'generate-content',
    {
      model: 'gpt-5-mini-2025-08-07-preview',
      contents: [
        { role: 'user', parts: [{ text: words }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { answer: words } } }] },
      ],
    },
  ],
  [
    'responses',
    {
      model: 'gpt-5-mini-2025-08-07-preview',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: words }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: JSON.stringify(args) },
        { type: 'function_call_output', call_id: 'c', output: words },
      ],
    },
  ],
  [
    'converse',
    {
      messages: [
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'f', input: args } }] },
        {
          role: 'user',
          content: [
            { text: words },
            { toolResult: { toolUseId: 'c', content: [{ json: { answer: words } }] } },
          ],
        },
      ],
    },
  ],
  ['completions', { model: 'gpt-5-mini-2025-08-07-preview', prompt: [words, JSON.stringify(args)] }],
];

/** UpstreamConnections in which an upstream repeats what it got. */
const quotations: [string, string][] = [
  ['a text', words],
  ['a text as JSON', JSON.stringify({ error: words })],
  ['arguments', JSON.stringify(args)],
  ['arguments with spaces', '{"city": "Paris in the rain", "days": 3, "note": "the third door on the left"}'],
  [
    'arguments as Python shows them',
    "{'city': 'Paris in the rain', 'days': 3, 'note': 'the third door on the left'}",
  ],
];

test.each(
  requests.flatMap(([format, body]) => quotations.map(([what, text]) => [format, what, body, text] as const)),
)('a message about %s that quotes %s has none of it', async (_format, _what, body, text) => {
  const { upstreamMessage = '' } = await wordsFor(
    verbatim(body),
    `Invalid value: ${text} is not allowed here.`,
  );
  expect(upstreamMessage).toMatch(/^Invalid value: .*\[…\].*is not allowed here\.$/);
  for (const held of [words, ...quotations.map(([, quotation]) => quotation)])
    for (let i = 0; i + quotedLength <= held.length; i++)
      expect(upstreamMessage).not.toContain(held.slice(i, i + quotedLength));
});

test.each([
  ['the model', "The model 'gpt-5-mini-2025-08-07-preview' does not exist."],
  ['a parameter', "Unsupported parameter: 'max_completion_tokens'."],
  ['the place of a field', 'messages.1.content.0.tool_result.content: Field required'],
  ['a rate', 'Rate limit reached for requests per min (RPM): Limit 3, Used 3, Requested 1.'],
])('the name of %s stays', async (_, message) => {
  const [[, body]] = requests as [[string, object]];
  const named = { ...body, max_completion_tokens: 5 };
  expect(await wordsFor(verbatim(named), message)).toEqual({ upstreamStatus: 400, upstreamMessage: message });
});

test('texts of a translated request and of a form are compared, too', async () => {
  const request = { messages: [{ role: 'user', content: [{ type: 'text', text: words }] }] };
  const canonical = { body: 'canonical', request } as unknown as InputBody;
  const form = { body: 'form', form: { fields: [['prompt', words]], files: [] } } as unknown as InputBody;
  for (const input of [canonical, form])
    expect((await wordsFor(input, `No: ${words}`)).upstreamMessage).toBe('No: […]');
});

test('a prompt of numbers of tokens is a text, too', async () => {
  const prompt = [101, 7592, 1010, 2088, 999, 102, 2023];
  for (const body of [{ prompt }, { prompt: [prompt] }, { input: [prompt, prompt] }])
    for (const quoted of [JSON.stringify(prompt), `[${prompt.join(', ')}]`])
      expect((await wordsFor(verbatim(body), `No: ${quoted}!`)).upstreamMessage).toBe('No: […]!');
});

test('a large request is compared in steps', async () => {
  const body = { messages: [{ role: 'user', content: `${'y'.repeat(3_000_000)}${words}` }] };
  expect((await wordsFor(verbatim(body), `No: ${words}`)).upstreamMessage).toBe('No: […]');
});

test('secrets are replaced, and a long message is cut', async () => {
  const said = `Incorrect API key provided: sk-live-1234567890abcdef. ${'Look elsewhere. '.repeat(60)}`;
  const { upstreamMessage = '' } = await wordsFor(verbatim({}), said, 401);
  expect(upstreamMessage).not.toContain('sk-live');
  expect(upstreamMessage).toHaveLength(500);
  expect(upstreamMessage.endsWith('…')).toBe(true);
});

test('without words of the upstream, those of the gateway are kept', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:80'), { code: 'ECONNREFUSED' });
  const error = new GatewayError('upstream', 'The upstream could not be reached.', {}, { cause });
  const options = { input: verbatim({}), storesErrors: true, call } as unknown as Parameters<
    typeof wordsOf
  >[1];
  expect(await wordsOf(error, options, undefined, secrets)).toEqual({
    upstreamMessage: 'The upstream could not be reached. (ECONNREFUSED)',
  });
});

test('a project that stores no messages keeps the status alone', async () => {
  expect(await wordsFor(verbatim({}), 'Overloaded', 503, false)).toEqual({ upstreamStatus: 503 });
});

test('a body that cannot be parsed keeps no message', async () => {
  const broken: InputBody = { body: 'verbatim', text: Buffer.from('{') };
  expect(await wordsFor(broken, 'Bad JSON')).toEqual({ upstreamStatus: 400 });
});
