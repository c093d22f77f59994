import { createHash } from 'node:crypto';
import { readStream, type StreamFormat } from './event-stream.ts';
import { judgeStream, judgeWhole, type Outcome, type ReadBody, type Received } from './outcome.ts';

/** A request that the load repeats, and to which the simulator always returns the same answer. */
export interface Question {
  name: string;
  path: string;
  /** The JSON body of a POST; a GET without one. */
  body?: object;
  /** `expected` is the `content` of an earlier answer. */
  judge(received: Received, expected?: string): Outcome;
  content: ReadBody;
}

const input = 'What does a gateway for AI models do?';
const messages = [{ role: 'user', content: input }];
const contents = [{ role: 'user', parts: [{ text: input }] }];

/** An immediate chat answer of 20 tokens, unless another model of the simulator is given. */
export function wholeChat(model = 'sim-t20'): Question {
  return whole('chat, whole', '/v1/chat/completions', { model, messages }, [
    ...['choices', 0, 'message', 'content'],
  ]);
}

/** A chat stream of four seconds, unless another model of the simulator is given. */
export function chatStream(model = 'sim-t80-i50ms'): Question {
  return streamed('chat', '/v1/chat/completions', { model, messages, stream: true });
}

/** A stream that a worker translates from the simulator's `model` in chat to messages. */
export function translatedStream(model: string): Question {
  return streamed('messages', '/v1/messages', { model, max_tokens: 1_000, messages, stream: true });
}

/** 64 vectors as base64. If their upstream sends JSON numbers, a worker parses and converts them all. */
export function manyVectors(model: string): Question {
  const texts = Array.from({ length: 64 }, (_, i) => `${input} ${i}`);
  return inBytes('vectors', '/v1/embeddings', { model, input: texts, encoding_format: 'base64' });
}

/** A question for each HTTP service, including streams of two seconds. */
export function everyService(): Question[] {
  const model = 'sim-t40-i50ms';
  const image = { model: 'sim-fast', prompt: 'A boat', size: '256x256' };
  const speech = { model: 'sim-fast', voice: 'alloy', input: 'Row the boat.', response_format: 'wav' };
  return [
    wholeChat(),
    chatStream(model),
    translatedStream(model),
    streamed('generate-content', `/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents }),
    streamed('responses', '/v1/responses', { model, input, store: false, stream: true }),
    whole('messages, whole', '/v1/messages', { model: 'sim-t20', max_tokens: 1_000, messages }, [
      ...['content', 0, 'text'],
    ]),
    whole('embeddings', '/v1/embeddings', { model: 'sim-d16', input }, ['data', 0, 'embedding']),
    whole('image', '/v1/images/generations', image, ['data', 0, 'b64_json']),
    inBytes('speech', '/v1/audio/speech', speech),
    whole('models', '/v1/models', undefined, ['data', 0, 'id']),
  ];
}

type Path = readonly (string | number)[];

/** A JSON response; its content is at the path `at`. */
function whole(name: string, path: string, body: object | undefined, at: Path): Question {
  return wholeBy(name, path, body, bytes => JSON.stringify(pick(JSON.parse(bytes.toString()), at)));
}

function inBytes(name: string, path: string, body: object): Question {
  return wholeBy(name, path, body, bytes => createHash('sha256').update(bytes).digest('hex'));
}

function wholeBy(name: string, path: string, body: object | undefined, content: ReadBody): Question {
  const judge: Question['judge'] = (received, expected) => judgeWhole(received, content, expected);
  return { name, path, ...(body && { body }), judge, content };
}

function streamed(format: StreamFormat, path: string, body: object): Question {
  return {
    name: `${format}, streamed`,
    path,
    body,
    judge: (received, expected) => judgeStream(received, format, expected),
    content: bytes => readStream(format, bytes.toString()).text,
  };
}

/** @throws Error if there is no value at the path */
function pick(value: unknown, at: Path): unknown {
  const found = at.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)?.[key], value);
  if (found === undefined) throw new Error(`nothing at ${at.join('.')} of an answer`);
  return found;
}
