import { Random } from '@model-gateway/canonical/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedUpstream, startUpstream } from '../faults/upstream.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { post as postTo } from './post.ts';

/** The upstream's vectors, by the number that each input is. */
let vectors: Float32Array[] = [];
let upstream: ScriptedUpstream;
let stack: Stack;

/**
 * The ways in which an upstream may write a 32-bit float: with all digits, or with the fewest that identify
 * it.
 */
const writings: Record<string, (float: number) => string> = {
  exact: float => (Object.is(float, -0) ? '-0.0' : String(float)),
  short(float) {
    if (Object.is(float, -0)) return '-0';
    const digits = Array.from({ length: 9 }, (_, i) => float.toPrecision(i + 1));
    return String(Number(digits.find(text => Math.fround(Number(text)) === float)));
  },
};
const base64 = (vector: Float32Array) => {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, float] of vector.entries()) bytes.writeFloatLE(float, i * 4);
  return bytes.toString('base64');
};

/** Upstreams by their format and their way to write vectors. */
const kinds = [
  'openai-base64',
  'openai-exact',
  'openai-short',
  'gemini-exact',
  'gemini-short',
  'cohere-exact',
  'cohere-short',
];

function answer(kind: string, asked: string[]): string {
  const [format, writing = ''] = kind.split('-');
  const write = (vector: Float32Array) =>
    writings[writing] ? `[${Array.from(vector, writings[writing]).join()}]` : JSON.stringify(base64(vector));
  const written = asked.map(text => write(vectors[Number(text)] as Float32Array));
  if (format === 'gemini') return `{"embeddings":[${written.map(values => `{"values":${values}}`)}]}`;
  if (format === 'cohere') return `{"id":"e","embeddings":{"float":[${written}]}}`;
  const data = written.map((embedding, index) => `{"index":${index},"embedding":${embedding}}`);
  return `{"object":"list","model":"m","data":[${data}]}`;
}

const textsIn = (body: string): string[] => {
  const { input, texts, requests = [], content } = JSON.parse(body);
  const contents = content ? [content] : requests.map((each: { content: unknown }) => each.content);
  return input ?? texts ?? contents.map((each: { parts: { text: string }[] }) => each.parts[0]?.text);
};

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const kind = request.url?.split('/')[1] ?? '';
    const body = answer(kind, textsIn(upstream.bodies.at(-1) ?? ''));
    // For one content, the vector is not in a list.
    const one = body.replace(/^\{"embeddings":\[(.*)\]\}$/, '{"embedding":$1}');
    const sent = request.url?.endsWith(':embedContent') ? one : body;
    response.writeHead(200, { 'content-type': 'application/json' }).end(sent);
  });
  const providers = kinds.flatMap(kind => {
    const [format = ''] = kind.split('-');
    const provider = {
      kind: format === 'openai' ? 'openai-compatible' : format,
      baseUrl: `${upstream.url}/${kind}`,
    };
    return [
      { name: kind, ...provider },
      { name: `${kind}-split`, ...provider, batch: 2 },
    ];
  });
  const models = providers.map(({ name }) => ({ name, targets: [{ provider: name, model: 'm' }] }));
  stack = await startStack({ catalog: { providers, models } });
});
afterAll(async () => {
  await stack?.stop();
  upstream?.close();
});

async function post(path: string, body: object) {
  const { status, json } = await postTo(stack, path, body);
  expect(status).toBe(200);
  return json;
}

const embeddings = async (model: string, input: string[], encoding?: string) => {
  const { data } = await post('/v1/embeddings', { model, input, encoding_format: encoding });
  return (data as { embedding: number[] | string }[]).map(({ embedding }) => embedding);
};

/** Each client and the 32-bit floats that it reads. */
const clients: Record<string, (model: string, texts: string[]) => Promise<Float32Array[]>> = {
  'embeddings as float': async (model, texts) =>
    (await embeddings(model, texts, 'float')).map(each => Float32Array.from(each as number[])),
  'embeddings as usual': async (model, texts) =>
    (await embeddings(model, texts)).map(each => Float32Array.from(each as number[])),
  'embeddings as base64': async (model, texts) =>
    (await embeddings(model, texts, 'base64')).map(each => {
      const bytes = Buffer.from(each as string, 'base64');
      return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
    }),
  batchEmbedContents: async (model, texts) => {
    const requests = texts.map(text => ({ model: `models/${model}`, content: { parts: [{ text }] } }));
    const answer = await post(`/v1beta/models/${model}:batchEmbedContents`, { requests });
    return (answer as { embeddings: { values: number[] }[] }).embeddings.map(({ values }) =>
      Float32Array.from(values),
    );
  },
  embedContent: (model, texts) =>
    Promise.all(
      texts.map(async text => {
        const answer = await post(`/v1beta/models/${model}:embedContent`, { content: { parts: [{ text }] } });
        return Float32Array.from((answer as { embedding: { values: number[] } }).embedding.values);
      }),
    ),
};

/** Returns a float with random bits that is a number. */
function draw(random: Random): number {
  const bits = Buffer.alloc(4);
  bits.writeUInt32LE(random.below(2 ** 32));
  const float = bits.readFloatLE();
  return Number.isFinite(float) ? float : draw(random);
}

const corners = [
  0,
  -0,
  1,
  -1,
  0.1,
  2 ** -149,
  -(2 ** -149),
  2 ** -126,
  3.4028234663852886e38,
  1e-45,
  16_777_217,
];

describe.each(Object.keys(clients))('embeddings read by %s', client => {
  test.each(kinds.flatMap(kind => [kind, `${kind}-split`]))(
    'every bit of the vectors of %s is preserved',
    async model => {
      const random = new Random(client.length * 31 + model.length);
      for (let round = 0; round < 4; round++) {
        vectors = random.list(1, 5, () =>
          Float32Array.from([...corners, ...random.list(1, 200, () => draw(random))]),
        );
        const read = await clients[client]?.(
          model,
          vectors.map((_, i) => String(i)),
        );
        expect(read?.map(base64)).toEqual(vectors.map(base64));
      }
    },
  );
});
