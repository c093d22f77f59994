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
import type { AnswerParts, AskedCall, RunTargets } from '../../answer.ts';
import type { RealtimeSession } from '../session.ts';
import type { Answering, Models, SpeechQuery, Transcript, TranscriptQuery } from './models.ts';

/** The most audio that one sentence may be, in bytes: what is beyond all reason is left out. */
export const maxSpeech = 64 * 1024 * 1024;

export interface AskingOptions {
  session: RealtimeSession;
  parts: AnswerParts;
  runTargets: RunTargets;
  /** Whether the client has taken enough of what it was sent for more to come. */
  hasRoom(): boolean;
}

/** The models of a session, asked as any client's requests are: with the targets, timers and records of those. */
export function modelsOf(options: AskingOptions, { transcription, speech }: Helpers): Models {
  const { envelope } = options.session;
  const asker = new Asker(options);
  return {
    generate: (request, signal, onEvents) =>
      asker.ask({
        envelope: asked(envelope, 'generate', {}),
        body: Buffer.from(JSON.stringify(request)),
        signal,
        onEvents,
      }),
    ...(transcription && {
      transcribe: (wav: Buffer, given: TranscriptQuery, signal: AbortSignal) =>
        asker.transcribe(transcription, wav, given, signal),
    }),
    ...(speech && {
      speak: (given: SpeechQuery, signal: AbortSignal, onAudio: (audio: Buffer) => void) =>
        asker.speak(speech, given, signal, onAudio),
    }),
  };
}

/** A model that helps: its name in the catalog, and where it is asked. */
interface Helper {
  model: string;
  targets: TargetRef[];
}

/** Who hears and who speaks for a session's model. */
export interface Helpers {
  transcription: Helper | undefined;
  speech: Helper | undefined;
}

/** Who hears and who speaks for a session's model: of those models, what this worker can reach. */
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

/** An envelope for one of the requests of a session. */
function asked(session: Envelope, operation: Operation, fields: Partial<Envelope>): Envelope {
  const { variant: _, endsAt: __, ...rest } = session;
  return { ...rest, operation, headers: {}, stream: true, textLength: 0, ...fields };
}

interface Asking {
  envelope: Envelope;
  body: Buffer;
  /** The bytes of a form, for each time that it is read. */
  form?: () => AsyncGenerator<Uint8Array, void>;
  signal: AbortSignal;
  onEvents(events: readonly GenerateEvent[]): void;
}

class Asker {
  readonly #options: AskingOptions;

  constructor(options: AskingOptions) {
    this.#options = options;
  }

  ask({ envelope, body, form, signal, onEvents }: Asking): Answering {
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
        // It is not the attempt's fault, and must not end up there.
        failure = toGatewayError(thrown);
      }
      return hasRoom();
    };
    const call: AskedCall = {
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
    if (signal.aborted) return { done: Promise.reject(unwanted()), usage: () => null };
    const done = runTargets(call, { ...parts, usage: { add } }).then(() => {
      if (failure) throw failure;
      if (!whole) throw unwanted();
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
      envelope: asked(this.#options.session.envelope, 'transcribe', {
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
      envelope: asked(this.#options.session.envelope, 'speech', {
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

function unwanted(): GatewayError {
  return new GatewayError('cancelled', 'The answer was not wanted any more.');
}

function bytesIn(events: readonly GenerateEvent[]): Buffer[] {
  return events.flatMap(event => (event.type === 'verbatim' ? [Buffer.from(event.bytes)] : []));
}

/** A request of a session as the ledger has it: an answer of the model is a response of the session. */
function inSession(record: UsageRecord, { format, operation }: Envelope): UsageRecord {
  return { ...record, format, ...(record.operation === 'generate' && { operation }) };
}
