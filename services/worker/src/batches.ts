import {
  bestFirst,
  GatewayError,
  type GenerateEvent,
  givenUp,
  type OperationRequest,
  packVector,
  type Result,
  resultEvents,
  sumUsage,
  type Usage,
  type Vector,
} from '@model-gateway/canonical';
import type { Dispatcher } from 'undici';
import { attempt } from './attempt.ts';
import { inPart, JointRecords } from './attempt-record.ts';
import { sendLast } from './delivery.ts';
import type { AttemptOptions } from './exchange.ts';

/** The most pieces of one request in flight. */
const atOnce = 4;

/** The most numbers in vectors that are passed on unpacked. */
const unpackedNumbers = 20_000;

/** A part of a request that is sent by itself. */
interface Batch {
  request: OperationRequest;
  /** Index of its first input or document in the whole request. */
  first: number;
}

/** Splits a request that its upstream does not take at once; any other is one piece. */
export function batchesOf({ upstream, input }: Pick<AttemptOptions, 'upstream' | 'input'>): Batch[] {
  if (input.body !== 'canonical') return [];
  const { request } = input;
  if ('inputs' in request)
    return slices(request.inputs, upstream.batch).map(({ some, first }) => ({
      request: { ...request, inputs: some },
      first,
    }));
  if ('documents' in request)
    return slices(request.documents, upstream.batch).map(({ some, first }) => ({
      request: { ...request, documents: some },
      first,
    }));
  if ('prompt' in request && !('audio' in request) && upstream.dialect.choices === 'one')
    return Array.from({ length: request.n ?? 1 }, () => ({ request: { ...request, n: 1 }, first: 0 }));
  return [{ request, first: 0 }];
}

function slices<T>(all: readonly T[], most: number): { some: T[]; first: number }[] {
  const size = Math.min(most, all.length);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => ({
    some: all.slice(i * size, (i + 1) * size),
    first: i * size,
  }));
}

interface Answered {
  result?: Result;
  usage?: Usage | null;
}

/**
 * Sends the pieces of one request to an upstream and joins their answers.
 * Resolves as {@link attempt} does: to an error if nothing was sent to the client.
 */
export async function runInBatches(
  dispatcher: Dispatcher,
  options: AttemptOptions,
  pieces: readonly Batch[],
): Promise<GatewayError | undefined> {
  const { call } = options;
  const records = new JointRecords();
  const { answers, failure } = await askAll(dispatcher, { ...options, usage: records }, pieces);
  records.flush(options.usage, answers !== undefined, call.signal);
  if (!answers) return failure;
  const results = answers.flatMap(({ result }) => result ?? []);
  const usages = answers.flatMap(({ usage }) => usage ?? []);
  await sendLast(call, resultEvents(join(results, pieces), usages.length > 0 ? sumUsage(usages) : null));
  return undefined;
}

/** Returns the answers to all pieces; none if one fails or the client leaves, which cancels the rest. */
async function askAll(
  dispatcher: Dispatcher,
  options: AttemptOptions,
  pieces: readonly Batch[],
): Promise<{ answers?: Answered[]; failure?: GatewayError }> {
  const { call, input, timeouts, clock } = options;
  const over = new AbortController();
  const cancel = () => over.abort(call.signal.aborted ? call.signal.reason : givenUp());
  call.signal.addEventListener('abort', cancel, { once: true });
  const until = clock.monotonic() + timeouts.total;
  const answers: Answered[] = pieces.map(() => ({}));
  const left = pieces.entries();
  let failure: GatewayError | undefined;
  const askOneByOne = async () => {
    for (const [i, { request, first }] of left) {
      if (over.signal.aborted) return;
      const error = await attempt(dispatcher, {
        ...options,
        input: { ...inPart(input, pieces.length), body: 'canonical', request },
        timeouts: { ...timeouts, total: Math.max(1, until - clock.monotonic()) },
        call: {
          envelope: call.envelope,
          signal: over.signal,
          drained: Promise.resolve(),
          send: events => collect(events, answers[i] as Answered),
          announce: attempt => call.announce(attempt),
        },
      });
      if (!error || over.signal.aborted) continue;
      failure = ofWhole(error, first);
      cancel();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, askOneByOne));
  call.signal.removeEventListener('abort', cancel);
  if (failure) return { failure };
  return over.signal.aborted ? {} : { answers };
}

function collect(events: readonly GenerateEvent[], answer: Answered): true {
  for (const event of events) {
    if (event.type === 'result') answer.result = event.result;
    if (event.type === 'finish') answer.usage = event.usage;
  }
  return true;
}

/** Returns a piece's error, with the index of an input that it names moved to the whole request. */
function ofWhole(error: GatewayError, first: number): GatewayError {
  const { kind, message, details, cause } = error;
  const move = (place: string) => place.replace(/\[(\d+)\]/, (_, at) => `[${Number(at) + first}]`);
  const { param, path } = details;
  const moved = { ...(param && { param: move(param) }), ...(path && { path: move(path) }) };
  // An upstream's sentence names the input too.
  const text = param ? message.replaceAll(param, move(param)) : message;
  return new GatewayError(kind, text, { ...details, ...moved }, { cause });
}

/** Joins the answers to the pieces in order. */
function join(results: readonly Result[], pieces: readonly Batch[]): Result {
  const [first] = results;
  switch (first?.type) {
    case 'embeddings':
      return {
        ...first,
        vectors: packed(results.flatMap(each => (each.type === 'embeddings' ? each.vectors : []))),
      };
    case 'ranking':
      return {
        ...first,
        ranked: bestFirst(
          results.flatMap((each, i) => inWhole(each, pieces[i])),
          topOf(pieces),
        ),
      };
    case 'images':
      return { ...first, images: results.flatMap(each => (each.type === 'images' ? each.images : [])) };
    default:
      throw new GatewayError('internal', 'The partial results cannot be merged: their types differ.');
  }
}

/** Packs many vectors, which makes them cheaper to pass on. */
function packed(vectors: Vector[]): Vector[] {
  const numbers = vectors.reduce((sum, vector) => sum + (Array.isArray(vector) ? vector.length : 0), 0);
  return numbers > unpackedNumbers ? vectors.map(packVector) : vectors;
}

/** Returns the number of ranks requested; each piece requests as many as the whole. */
function topOf([piece]: readonly Batch[]): number | undefined {
  return piece && 'documents' in piece.request ? piece.request.top : undefined;
}

/** Converts a piece's ranks to indexes in the whole request. */
function inWhole(result: Result, piece: Batch | undefined) {
  if (result.type !== 'ranking' || !piece) return [];
  return result.ranked.map(({ index, score }) => ({ index: index + piece.first, score }));
}
