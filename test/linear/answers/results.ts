import type { Operation, OperationRequest, WireFormat } from '@model-gateway/canonical';
import { list } from '../cost.ts';
import { sse } from './sse.ts';

/** The request in each kind of body. */
export interface Asked {
  canonical?: OperationRequest;
  verbatim?: Record<string, unknown>;
  form?: [name: string, value: string][];
}

/** An answer that grows. */
export interface Result {
  asked(n: number): Asked;
  /** The body, or pieces that arrive one by one. */
  answer(n: number): string | Buffer[];
  mediaType: string;
  /** True if it comes where a stream was asked for. */
  streamed?: true;
  /** True if it is no answer. */
  wrong?: true;
}

const json = (asked: Result['asked'], answer: (n: number) => unknown): Result => ({
  asked,
  answer: n => JSON.stringify(answer(n)),
  mediaType: 'application/json',
});
const events = (asked: Result['asked'], answer: (n: number) => string[]): Result => ({
  asked,
  answer: n => answer(n).join(''),
  mediaType: 'text/event-stream',
  streamed: true,
});

const wrong = (result: Result): Result => ({ ...result, wrong: true });

const texts = (n: number) => list(n, i => `name${i}`);
const embedding =
  (encoding: 'float' | 'base64' = 'float', one = false) =>
  (n: number): Asked => {
    const inputs = texts(one ? 1 : n);
    return {
      canonical: { inputs, encoding },
      verbatim: { model: 'm', input: inputs, encoding_format: encoding },
    };
  };
const numbers = (n: number) => list(n, i => Math.fround(i / 7));

/** Vectors of a format; `shape` is the body around them. */
function vectors(shape: (vectors: number[][]) => unknown): Record<string, Result> {
  const many = (n: number) => shape(list(n, () => numbers(4)));
  return {
    vectors: json(embedding(), many),
    'vectors for one that asked for base64': json(embedding('base64'), many),
    'numbers of a vector': json(embedding('float', true), n => shape([numbers(n)])),
  };
}

const base64 = (each: number[]) => Buffer.from(new Float32Array(each).buffer).toString('base64');
const openai = (all: number[][]) => ({
  data: all.map((embedding, index) => ({ index, embedding })),
  usage: { prompt_tokens: 1 },
});
const gemini = (all: number[][]) => ({ embeddings: all.map(values => ({ values })) });
const oneVector = (shape: (vector: number[]) => unknown) => ({
  'numbers of a vector': json(embedding('float', true), n => shape(numbers(n))),
});

const embed: Partial<Record<WireFormat, Record<string, Result>>> = {
  embeddings: {
    ...vectors(openai),
    'vectors in reverse': json(embedding(), n => ({
      data: openai(list(n, () => numbers(4))).data.reverse(),
    })),
    'vectors of one index': json(embedding(), n => ({
      data: list(n, () => ({ index: 0, embedding: [1] })),
    })),
    'vectors whose indexes have gaps': wrong(
      json(embedding(), n => ({ data: list(n, i => ({ index: 2 * i, embedding: [1] })) })),
    ),
    'vectors in base64': json(embedding(), n => ({
      data: list(n, index => ({ index, embedding: base64(numbers(4)) })),
    })),
  },
  'embed-content': vectors(gemini),
  'cohere-embed': vectors(all => ({ embeddings: { float: all } })),
  'vertex-embed': vectors(all => ({
    predictions: all.map(values => ({ embeddings: { values, statistics: { token_count: 1 } } })),
  })),
  'vertex-embed-content': oneVector(values => ({ embedding: { values } })),
  'titan-embed': oneVector(embedding => ({ embedding, inputTextTokenCount: 1 })),
  'voyage-embed': vectors(openai),
  'jina-embed': vectors(openai),
  'nim-embed': vectors(openai),
};

const ranking = (n: number): Asked => ({
  canonical: { query: 'q', documents: texts(n), top: Math.ceil(n / 2) },
});
function ranks(shape: (ranks: object[]) => unknown, score = 'relevance_score'): Record<string, Result> {
  const rank = (index: number, i: number) => ({ index, [score]: i / 10_000 });
  return {
    ranks: json(ranking, n => shape(list(n, i => rank(i, i)))),
    'ranks of one score': json(ranking, n => shape(list(n, i => rank(n - 1 - i, 1)))),
    'ranks of one document': wrong(json(ranking, n => shape(list(n, i => rank(0, i))))),
  };
}
const rerank: Partial<Record<WireFormat, Record<string, Result>>> = {
  'cohere-rerank': ranks(results => ({ id: 'r', results })),
  'jina-rerank': ranks(results => ({ results })),
  'voyage-rerank': ranks(data => ({ data })),
  'tei-rerank': ranks(results => results, 'score'),
};

const moderated = (count?: number) => (n: number) => ({ verbatim: { input: texts(count ?? n) } });
const verdict = (categories: number) => ({
  categories: Object.fromEntries(list(categories, i => [`c${i}`, false])),
  category_scores: Object.fromEntries(list(categories, i => [`c${i}`, 0.5])),
});
const moderate: Partial<Record<WireFormat, Record<string, Result>>> = {
  moderations: {
    verdicts: json(moderated(), n => ({ results: list(n, () => verdict(3)) })),
    'categories of a verdict': json(moderated(1), n => ({ results: [verdict(n)] })),
  },
};

const drawn = (n: number): Asked => ({
  canonical: { prompt: 'a', n },
  verbatim: { model: 'm', prompt: 'a', n },
  form: [
    ['model', 'm'],
    ['n', String(n)],
  ],
});
const png = 'iVBORw0KGgo=';
const image: Partial<Record<WireFormat, Record<string, Result>>> = {
  images: {
    images: json(drawn, n => ({ data: list(n, () => ({ b64_json: png, revised_prompt: 'a' })) })),
    links: json(drawn, n => ({ data: list(n, i => ({ url: `https://a/${i}` })) })),
    'images of a stream': events(drawn, n =>
      list(n, () => sse({ type: 'image_generation.completed', b64_json: png, usage: { input_tokens: 1 } })),
    ),
    'beginnings of an image': events(drawn, n => [
      ...list(n, i =>
        sse(
          { type: 'image_generation.partial_image', partial_image_index: i },
          'image_generation.partial_image',
        ),
      ),
      sse({ type: 'image_generation.completed', b64_json: png }),
    ]),
  },
  'generate-content': {
    images: json(drawn, n => ({
      candidates: [
        { content: { parts: list(n, () => ({ inlineData: { mimeType: 'image/png', data: png } })) } },
      ],
    })),
    'texts in place of an image': wrong(
      json(drawn, n => ({ candidates: [{ content: { parts: list(n, i => ({ text: `a${i}` })) } }] })),
    ),
  },
};

const spoken = (n: number): Asked => ({
  canonical: { text: 'é '.repeat(2_000), voice: 'v' },
  verbatim: { model: 'm', input: 'é '.repeat(2_000), voice: 'v', more: texts(n) },
});
const sound = (n: number) => list(n, () => Buffer.alloc(64));
const speech: Partial<Record<WireFormat, Record<string, Result>>> = {
  speech: {
    'pieces of sound': { asked: spoken, answer: sound, mediaType: 'audio/mpeg' },
    'events of sound': events(spoken, n => [
      ...list(n, () => sse({ type: 'speech.audio.delta', audio: 'AAAA' })),
      sse({ type: 'speech.audio.done', usage: { input_tokens: 1 } }),
    ]),
  },
  'text-to-speech': { 'pieces of sound': { asked: spoken, answer: sound, mediaType: 'audio/mpeg' } },
};

const heard =
  (format: string) =>
  (n: number): Asked => ({
    canonical: {
      audio: { mediaType: 'audio/wav', filename: 'a.wav', data: '' },
      words: true,
      segments: true,
      speakers: true,
      keywords: texts(Math.min(n, 100)),
    },
    form: [
      ['model', 'm'],
      ['response_format', format],
    ],
  });
const segment = (i: number) => ({ id: i, start: i, end: i + 1, text: ` a${i}\n\n`, speaker: 'A' });
const verbose = (n: number) => ({
  text: 'a '.repeat(n),
  duration: n,
  words: list(n, i => ({ word: 'a', start: i, end: i + 1 })),
  segments: list(n, segment),
});
const transcribe: Partial<Record<WireFormat, Record<string, Result>>> = {
  transcriptions: {
    'words and segments': json(heard('verbose_json'), verbose),
    'segments for subtitles': json(heard('srt'), verbose),
    'lines of subtitles': {
      asked: heard('vtt'),
      answer: n => `WEBVTT\n\n${'00:00:00.000 --> 00:00:01.000\na\n\n'.repeat(n)}`,
      mediaType: 'text/vtt',
    },
    'texts of a stream': events(heard('json'), n => [
      ...list(n, () => sse({ type: 'transcript.text.delta', delta: 'a', logprobs: [{ token: 'a' }] })),
      sse({ type: 'transcript.text.done', text: 'a'.repeat(n), usage: { input_tokens: 1 } }),
    ]),
    'chunks of another server': events(heard('json'), n => [
      ...list(n, () => sse({ object: 'transcription.chunk', choices: [{ delta: { content: 'a' } }] })),
      sse({ object: 'transcription.chunk', choices: [{ delta: {}, finish_reason: 'stop' }] }),
    ]),
  },
  listen: {
    'words and segments': json(heard('json'), n => ({
      metadata: { duration: n },
      results: {
        channels: list(n, () => ({
          alternatives: [
            {
              transcript: 'a '.repeat(10),
              words: list(10, i => ({ word: 'a', start: i, end: i + 1 })),
            },
          ],
        })),
        utterances: list(n, i => ({ transcript: 'a', start: i, end: i + 1, speaker: i })),
      },
    })),
    words: json(heard('json'), n => ({
      metadata: { duration: n },
      results: {
        channels: [
          {
            alternatives: [
              { transcript: 'a '.repeat(n), words: list(n, i => ({ word: 'a', start: i, end: i + 1 })) },
            ],
          },
        ],
        utterances: [{ transcript: 'a', start: 0, end: 1, speaker: 0 }],
      },
    })),
  },
};

/** The answers of each upstream format, by operation; those of models that generate are in files of their own. */
export const results: Partial<Record<Operation, Partial<Record<WireFormat, Record<string, Result>>>>> = {
  embed,
  rerank,
  moderate,
  image,
  speech,
  transcribe,
};
