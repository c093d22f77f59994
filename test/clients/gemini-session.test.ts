import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Chunk, readChunks } from '../../shared/formats/src/testing/chunk-reader.ts';
import { type FourUpstreams, startFourUpstreams, type Upstream, upstreams } from './four-upstreams.ts';
import { type Agent, detours, found, type Kept, sendTurn } from './session.ts';

let gateway: FourUpstreams;

beforeAll(async () => {
  gateway = await startFourUpstreams();
});
afterAll(() => gateway?.stop());

type Part = { text?: string; thought?: boolean; thoughtSignature?: string; [field: string]: unknown };
type Call = { id: string; name: string; args: unknown };
type Content = { role: string; parts: Part[] };

const agent: Agent = {
  format: 'generate-content',
  path: model => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  headers: token => ({
    'x-goog-api-key': token,
    'x-goog-api-client': 'google-genai-sdk/3.1.0 gl-node/v24',
    'user-agent': 'GeminiCLI/0.61.0/gemini-3-pro (linux; x64)',
    accept: '*/*',
  }),
};
const declaration = (name: string, description: string, field: string) => ({
  name,
  description,
  parametersJsonSchema: {
    type: 'object',
    properties: { [field]: { description: `The ${field}`, type: 'string' } },
    required: [field],
  },
});
const tools = [
  {
    functionDeclarations: [
      declaration('read_file', 'Reads a file', 'file_path'),
      declaration('run_shell_command', 'Runs a command in a shell', 'command'),
    ],
  },
];
const instruction = 'You are an interactive CLI agent for software engineering.';
const fields = {
  systemInstruction: { role: 'user', parts: [{ text: instruction }] },
  tools,
  generationConfig: {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
  },
};
const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const context = '<session_context>\nThis is the agent. The date is known.\n</session_context>';

async function send(upstream: Upstream, contents: Content[]): Promise<Chunk[]> {
  const body = { contents, ...fields };
  const text = await sendTurn(gateway, agent, `${upstream}/claude-opus-4-6`, body, kept(contents));
  const chunks = readChunks(text);
  expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
  expect(chunks.at(-1)?.usageMetadata).toMatchObject({ totalTokenCount: expect.any(Number) });
  return chunks;
}

/** Returns the turn that the agent keeps: no reasoning, adjacent texts joined, each signature in its place. */
function keptOf(chunks: Chunk[]): Content {
  const parts: Part[] = [];
  for (const part of chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []) as Part[]) {
    const last = parts.at(-1);
    if (part.thought) continue;
    if (typeof part.text === 'string' && typeof last?.text === 'string' && !part.thoughtSignature)
      last.text += part.text;
    else parts.push({ ...part });
  }
  return {
    role: 'model',
    parts: parts.filter(({ text, thoughtSignature }) => text !== '' || thoughtSignature),
  };
}

const callsOf = ({ parts }: Content) =>
  parts.flatMap(({ functionCall }) => (functionCall ? [functionCall as Call] : []));
const textOf = ({ parts }: Content) => parts.map(({ text }) => text ?? '').join('');

function kept(contents: Content[]): Kept {
  return {
    calls: contents.flatMap(callsOf).map(({ id }) => id),
    proofs: found(
      contents.flatMap(({ parts }) => parts),
      'thoughtSignature',
    ),
  };
}

const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
const response = ({ id, name }: Call, said: object, more = {}): Part => ({
  functionResponse: { id, name, response: said, ...more },
});

/** A session of three requests, each to its own upstream. */
async function session(asked: readonly Upstream[]) {
  const contents = [user({ text: context }), user({ text: 'Read the files Oslo and Rome.' })];
  const turns: Content[] = [];
  for (const upstream of asked) {
    const chunks = await send(upstream, contents);
    const said = keptOf(chunks);
    turns.push(said);
    const [one, two] = callsOf(said);
    contents.push(said);
    contents.push(
      one && two
        ? user(
            response(one, { error: 'File not found: Oslo' }),
            response(two, { output: 'A picture:' }, { parts: [image] }),
          )
        : user({ text: 'And read Rome and Paris.' }),
    );
  }
  return { turns, contents };
}

const ways = [...upstreams.map((one): [Upstream, Upstream] => [one, one]), ...detours];

test.each(ways)(
  'a session of Gemini CLI with an upstream of %s continues with a second turn of %s',
  async (upstream, other) => {
    const { turns, contents } = await session([upstream, other, upstream]);
    const [first, second, third] = turns as [Content, Content, Content];
    expect(callsOf(first)).toEqual([
      { id: expect.stringMatching(/^[\w-]+$/), name: 'read_file', args: { file_path: expect.any(String) } },
      { id: expect.stringMatching(/^[\w-]+$/), name: 'read_file', args: { file_path: expect.any(String) } },
    ]);
    expect(callsOf(second)).toEqual([]);
    // In chat the image comes in a message of the user, which the simulator answers before the results.
    const heard = other === 'chat' ? /1 attachment/ : /rror.*File not found: Oslo.*A picture:/s;
    expect(textOf(second)).toMatch(heard);
    expect(callsOf(third)).toHaveLength(2);
    expect(new Set(kept(contents).calls).size).toBe(4);
    // Chat has no field for signatures.
    expect(kept([first]).proofs.length > 0).toBe(upstream !== 'chat');
  },
);

describe.each(upstreams)('Gemini CLI with an upstream of %s', upstream => {
  test('reasoning is returned to the client and sent back to the upstream', async () => {
    const chunks = await send(upstream, [user({ text: context }), user({ text: 'What is the gateway?' })]);
    const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    expect(parts.some(({ thought, text }) => thought && text)).toBe(true);
    const { body = '' } = gateway.simulator.requests.at(-1) ?? {};
    for (const said of [instruction, context, 'What is the gateway?', 'read_file', 'The file_path'])
      expect(body).toContain(JSON.stringify(said).slice(1, -1));
    const { path, headers } = gateway.simulator.requests.at(-1) ?? {};
    expect(JSON.stringify([path, headers])).not.toContain(gateway.stack.token);
  });
});
