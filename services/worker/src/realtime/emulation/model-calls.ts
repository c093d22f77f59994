import {
  type Envelope,
  fromErrorEvent,
  GatewayError,
  type GenerateEvent,
  type Operation,
  type TargetRef,
  toGatewayError,
  type Usage,
  type UsageRecord,
} from '@model-gateway/canonical';
import { type Catalog, orderTargets } from '@model-gateway/catalog';
import type { AnswerDeps, RunTargets, TargetCall } from '../../answer-deps.ts';
import type { RealtimeSession } from '../session.ts';
import type { Answering, Models, SpeechQuery, Transcript, TranscriptQuery } from './models.ts';

/** The most audio of one sentence, in bytes; the rest is left out. */
export const maxSpeech = 64 * 1024 * 1024;

interface ModelCallOptions {
  session: RealtimeSession;
  parts: AnswerDeps;
  runTargets: RunTargets;
  /** Returns true if the client has room for more messages. */
  hasRoom(): boolean;
}

/** Returns the models of a session, called like a client's requests: with targets, timeouts and records. */
export function modelsOf(options: ModelCallOptions, { transcription, speech }: Helpers): Models {
  const { envelope } = options.session;
  const caller = new Caller(options);
  return {
    generate: (request, signal, onEvents) =>
      caller.ask({
        envelope: envelopeOf(envelope, 'generate', {}),
        body: Buffer.from(JSON.stringify(request)),
        signal,
        onEvents,
      }),
    ...(transcription && {
      transcribe: (wav: Buffer, query: TranscriptQuery, signal: AbortSignal) =>
        caller.transcribe(transcription, wav, query, signal),
    }),
    ...(speech && {
      speak: (query: SpeechQuery, signal: AbortSignal, onAudio: (audio: Buffer) => void) =>
        caller.speak(speech, query, signal, onAudio),
    }),
  };
}

/** A helper model: its name in the catalog and its targets. */
interface Helper {
  model: string;
  targets: TargetRef[];
}

/** Helper models of a session's model. */
interface Helpers {
  transcription: Helper | undefined;
  speech: Helper | undefined;
}

/** Finds the helper models of a session's model that this worker can reach. */
export function helpersOf(
  { model, envelope }: Pick<RealtimeSession, 'model' | 'envelope'>,
  catalog: Catalog,
): Helpers {
  const settings = typeof model.realtime === 'object' ? model.realtime : {};
  const pool = catalog.provider(envelope.targets[0]?.provider ?? '')?.pool;
  const find = (name: string | undefined): Helper | undefined => {
    const found = name === undefined ? undefined : catalog.model(name);
    if (!found || name === undefined) return undefined;
    const targets = orderTargets(found.model, found.match, Math.random).filter(
      ({ provider }) => catalog.provider(provider)?.pool === pool,
    );
    return targets.length > 0 ? { model: name, targets } : undefined;
  };
  return { transcription: find(settings.transcription), speech: find(settings.speech) };
}

/** Returns the envelope for a request of a session. */
function envelopeOf(session: Envelope, operation: Operation, fields: Partial<Envelope>): Envelope {
  const { variant: _, endsAt: __, ...rest } = session;
  return { ...rest, operation, headers: {}, stream: true, textLength: 0, ...fields };
}

interface Call {
  envelope: Envelope;
  body: Buffer;
  /** Returns the bytes of a form, for each read. */
  form?: () => AsyncGenerator<Uint8Array, void>;
  signal: AbortSignal;
  onEvents(events: readonly GenerateEvent[]): void;
}

class Caller {
  readonly #options: ModelCallOptions;

  constructor(options: ModelCallOptions) {
    this.#options = options;
  }

  ask({ envelope, body, form, signal, onEvents }: Call): Answering {
    const { session, parts, runTargets, hasRoom } = this.#options;
    let usage: Usage | null = null;
    let failure: GatewayError | undefined;
    let whole = false;
    const add = (record: UsageRecord) => {
      usage = record.usage ?? usage;
      parts.usage.add(inSession(record, session.envelope));
    };
    const send = (events: readonly GenerateEvent[]) => {
      if (signal.aborted) return true;
      const last = events.at(-1);
      whole = last?.type === 'finish';
      if (last?.type === 'error') failure = fromErrorEvent(last);
      try {
        onEvents(events);
      } catch (thrown) {
        // An error of the session must not fail the attempt.
        failure = toGatewayError(thrown);
      }
      return hasRoom();
    };
    const call: TargetCall = {
      envelope,
      body,
      signal,
      send,
      get drained() {
        return session.drained;
      },
      announce: attempt => session.announce(attempt),
      ...(form && { incoming: { bytes: form } }),
    };
    if (signal.aborted) return { done: Promise.reject(cancelled()), usage: () => null };
    const done = runTargets(call, { ...parts, usage: { add } }).then(() => {
      if (failure) throw failure;
      if (!whole) throw cancelled();
    });
    return { done, usage: () => usage };
  }

  async transcribe(
    { model, targets }: Helper,
    wav: Buffer,
    { language, prompt }: TranscriptQuery,
    signal: AbortSignal,
  ): Promise<Transcript> {
    const fields = Object.entries({ model, response_format: 'json', language, prompt }).filter(
      (field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '',
    );
    const file = { name: 'file', filename: 'audio.wav', mediaType: 'audio/wav', size: wav.length };
    const form = Buffer.from(JSON.stringify({ fields, files: [file] }));
    const answer: Buffer[] = [];
    const answering = this.ask({
      envelope: envelopeOf(this.#options.session.envelope, 'transcribe', {
        model,
        targets,
        format: 'transcriptions',
        stream: false,
        form: true,
        textLength: form.length,
      }),
      body: Buffer.alloc(0),
      async *form() {
        yield form;
        yield wav;
      },
      signal,
      onEvents: events => answer.push(...bytesIn(events)),
    });
    await answering.done;
    const { text } = JSON.parse(Buffer.concat(answer).toString('utf8'));
    return { text: String(text), usage: answering.usage() };
  }

  async speak(
    { model, targets }: Helper,
    { text, voice, speed }: SpeechQuery,
    signal: AbortSignal,
    onAudio: (audio: Buffer) => void,
  ): Promise<void> {
    const sent = { model, input: text.trim(), voice, response_format: 'pcm', ...(speed !== 1 && { speed }) };
    const body = Buffer.from(JSON.stringify(sent));
    let size = 0;
    const { done } = this.ask({
      envelope: envelopeOf(this.#options.session.envelope, 'speech', {
        model,
        targets,
        format: 'speech',
        stream: false,
        bytes: true,
        textLength: body.length,
      }),
      body,
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
}

function cancelled(): GatewayError {
  return new GatewayError('cancelled', 'The request was cancelled.');
}

function bytesIn(events: readonly GenerateEvent[]): Buffer[] {
  return events.flatMap(event => (event.type === 'verbatim' ? [Buffer.from(event.bytes)] : []));
}

/** Converts a usage record to the session's format; a generate request is recorded as a realtime response. */
function inSession(record: UsageRecord, { format, operation }: Envelope): UsageRecord {
  return { ...record, format, ...(record.operation === 'generate' && { operation }) };
}
