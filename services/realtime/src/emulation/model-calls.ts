import {
  canonicalMedia,
  estimateInput,
  GatewayError,
  type GenerateEvent,
  type GenerateRequest,
  type Route,
  type SpeechRequest,
} from '@model-gateway/canonical';
import type { Catalog, Model } from '@model-gateway/catalog';
import {
  type Deliverable,
  deliver,
  findModel,
  type IngressDeps,
  plan,
  type RequestSlot,
  type RunningEntry,
} from '@model-gateway/ingress';
import { JsonTooLargeError, writeInSteps } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import { bytesPerMs, wavOf, wavSize } from './audio-format.ts';
import type { Backlog } from './backlog.ts';
import type { ItemAudio } from './item.ts';
import { fieldNames, ModelAnswer, type ModelCall, type SessionEnd } from './model-answer.ts';
import type { Answering, Models, SpeechQuery, Transcript, TranscriptQuery } from './models.ts';

/** The largest request of a response, in bytes of JSON. */
export const maxRequest = 32 * 1024 * 1024;
/** The most audio of one sentence, in bytes; the rest is left out. */
export const maxSpeech = 64 * 1024 * 1024;

/** The parts that calls of models need. `queueMs`: the longest wait for a worker with room, in milliseconds. */
export interface ModelDeps extends Pick<IngressDeps, 'catalog' | 'caller' | 'health' | 'held'> {
  queueMs: number;
  /** What administrators see of the session. */
  entry?: RunningEntry | undefined;
  /**
   * Takes a response's place in the limits and budgets of the token. `bytes`: the size of its request; `end` ends it once a budget
   * is spent. @throws GatewayError
   */
  takeSlot(bytes: number, end: (reason: GatewayError) => void): Promise<RequestSlot>;
}

interface ModelCallOptions {
  /** The session's envelope. */
  envelope: Deliverable['envelope'];
  deps: ModelDeps;
  /** Pauses answers while it is full. */
  backlog: Backlog;
  end: SessionEnd;
}

/** Names of the models that transcribe and speak for a session's model. */
interface Helpers {
  transcription: string | undefined;
  speech: string | undefined;
}

/** Returns the helper models of a session's model that are in the catalog. */
export function helpersOf({ realtime }: Pick<Model, 'realtime'>, catalog: Catalog): Helpers {
  const { transcription, speech } = typeof realtime === 'object' ? realtime : {};
  const known = (name: string | undefined) => (name !== undefined && catalog.model(name) ? name : undefined);
  return { transcription: known(transcription), speech: known(speech) };
}

/** Returns the models of a session, called like a client's requests: with routes, failover, timeouts and records. */
export function modelsOf(options: ModelCallOptions, { transcription, speech }: Helpers): Models {
  const calls = new ModelCalls(options);
  return {
    generate: (request, signal, onEvents) => calls.generate(request, signal, onEvents),
    ...(transcription && {
      transcribe: (recording: ItemAudio, query: TranscriptQuery, signal: AbortSignal) =>
        calls.transcribe(transcription, recording, query, signal),
    }),
    ...(speech && {
      speak: (query: SpeechQuery, signal: AbortSignal, onAudio: (audio: Buffer) => void) =>
        calls.speak(speech, query, signal, onAudio),
    }),
  };
}

class ModelCalls {
  readonly #options: ModelCallOptions;

  constructor(options: ModelCallOptions) {
    this.#options = options;
  }

  generate(request: GenerateRequest, signal: AbortSignal, onEvents: ModelCall['onEvents']): Answering {
    const { model, token } = this.#options.envelope;
    return this.#ask({
      operation: 'generate',
      model,
      format: 'realtime',
      kind: 'canonical',
      async write(take) {
        const turn = () => nextTurn(undefined, token.id);
        const bounds = { limit: maxRequest, take, signal };
        const body = Buffer.concat(await writeInSteps(request, turn, bounds).catch(thrown => refuse(thrown)));
        return { body, textLength: 0, size: body.length };
      },
      request,
      signal,
      onEvents,
    });
  }

  async transcribe(
    model: string,
    { bytes, format }: ItemAudio,
    { language, prompt }: TranscriptQuery,
    signal: AbortSignal,
  ): Promise<Transcript> {
    const fields = Object.entries({ model, response_format: 'json', language, prompt }).filter(
      (field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '',
    );
    const size = wavSize(bytes, format);
    const file = { name: 'file', filename: 'audio.wav', mediaType: 'audio/wav', size };
    const form = Buffer.from(JSON.stringify({ fields, files: [file] }));
    const answer: Buffer[] = [];
    const answering = this.#ask({
      operation: 'transcribe',
      model,
      format: 'transcriptions',
      fields: { stream: false, ...lengthOf(bytes, format) },
      kind: 'form',
      async write(take) {
        take(form.length + size);
        const wav = wavOf(bytes, format);
        async function* body() {
          yield form;
          yield wav;
        }
        return { body, textLength: form.length, size: form.length + size };
      },
      signal,
      onEvents: events => answer.push(...bytesIn(events)),
    });
    await answering.done;
    const { text } = JSON.parse(Buffer.concat(answer).toString('utf8'));
    return { text: String(text), usage: answering.usage() };
  }

  async speak(
    model: string,
    { text, voice, speed }: SpeechQuery,
    signal: AbortSignal,
    onAudio: (audio: Buffer) => void,
  ): Promise<void> {
    const sent = { model, input: text.trim(), voice, response_format: 'pcm', ...(speed !== 1 && { speed }) };
    const body = Buffer.from(JSON.stringify(sent));
    const request: SpeechRequest = {
      text: sent.input,
      voice: typeof voice === 'string' ? voice : voice.id,
      format: 'pcm',
      ...(speed !== 1 && { speed }),
    };
    let size = 0;
    const { done } = this.#ask({
      operation: 'speech',
      model,
      format: 'speech',
      fields: { stream: false, bytes: true },
      kind: 'verbatim',
      translated: request,
      async write(take) {
        take(body.length);
        return { body, textLength: body.length, size: body.length };
      },
      signal,
      onEvents: events => {
        for (const bytes of bytesIn(events)) {
          size += bytes.length;
          if (size <= maxSpeech) onAudio(bytes);
        }
      },
    });
    await done;
  }

  #ask(call: ModelCall): Answering {
    const { backlog, end } = this.#options;
    const answer = new ModelAnswer(call, backlog, end);
    return { done: this.#deliver(call, answer), usage: () => answer.usage() };
  }

  async #deliver(call: ModelCall, answer: ModelAnswer): Promise<void> {
    const { envelope, deps } = this.#options;
    const { operation, format, model, fields, kind } = call;
    const routes = this.#routes(call);
    const share = deps.held.share(envelope.token.id);
    const admitted: Deliverable['admitted'] = { share, endForRevocation() {} };
    // The body of a response's request is freed once no other route can be taken.
    const delivered = call
      .write(bytes => share.take(bytes))
      .then(async ({ body, textLength, size }) => {
        if (operation === 'generate')
          admitted.place = await deps.takeSlot(size, reason => admitted.endForRevocation(reason));
        return deliver(
          {
            admitted,
            entry: deps.entry,
            routes,
            bodies: { ...translatedBody(call), [kind]: { body, textLength } },
            envelope: {
              ...envelope,
              operation,
              format,
              model,
              session: true,
              ...estimateOf(call),
              ...fields,
            },
          },
          { caller: deps.caller, health: deps.health, queueMs: deps.queueMs, fieldNames },
          hooks => answer.connect(hooks),
        );
      });
    let failure: GatewayError | undefined;
    try {
      failure = await delivered;
    } finally {
      share.release();
      admitted.place?.end(answer.usage() ?? undefined, failure?.details.unserved);
    }
    if (failure) throw failure;
  }

  /** Returns the routes that take the call's body: turns of a session prefer the same. @throws GatewayError if there is none */
  #routes({ operation, model, format, kind, fields, translated }: ModelCall): Route[] {
    const { deps, envelope } = this.#options;
    const body = kind === 'form' ? 'form' : 'text';
    const state = { ...deps, conversation: () => envelope.requestId };
    const found = findModel(deps.catalog, model, {});
    const routes = plan({ type: operation, ...fields }, found, format, body, state);
    const own = routes.filter(({ body }) => body === kind || (translated && body === 'canonical'));
    if (own.length > 0) return own;
    const message = `The model '${model}' cannot serve a session: its provider has another format of ${operation}.`;
    throw new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
  }
}

/** @throws GatewayError of kind `too-large` in place of a JsonTooLargeError, whatever was thrown otherwise */
function refuse(thrown: unknown): never {
  throw thrown instanceof JsonTooLargeError ? tooLargeRequest() : thrown;
}

export function tooLargeRequest(): GatewayError {
  const message = `The request of the response is larger than ${maxRequest / 2 ** 20} MiB as JSON: delete items, or name fewer.`;
  return new GatewayError('too-large', message);
}

/** Returns the length of a recording. */
function lengthOf({ length }: Buffer, format: ItemAudio['format']): Partial<Deliverable['envelope']> {
  const seconds = length / bytesPerMs(format) / 1_000;
  return { seconds, estimate: { input: 0, units: { seconds } } };
}

/** Returns an estimate of what a call of a model for text or speech uses whatever its answer is. */
function estimateOf({ request, translated }: ModelCall): Partial<Deliverable['envelope']> {
  if (request) return { estimate: { input: estimateInput(request, canonicalMedia) } };
  return translated ? { estimate: { input: 0, units: { characters: translated.text.length } } } : {};
}

function translatedBody({ translated }: ModelCall): Deliverable['bodies'] {
  if (!translated) return {};
  return { canonical: { body: Buffer.from(JSON.stringify(translated)), textLength: 0 } };
}

const bytesIn = (events: readonly GenerateEvent[]) =>
  events.flatMap(event => ('bytes' in event ? [Buffer.from(event.bytes)] : []));
