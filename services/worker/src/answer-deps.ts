import type { ServedCall, UsageWriter } from '@model-gateway/bus';
import type { Catalog } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import type { Decoding } from './decoding.ts';
import type { Upstreams } from './upstreams.ts';

/** Settings for ending the sessions of a worker that is draining. */
export interface SessionEnds {
  /** Aborts when draining begins. */
  draining: AbortSignal;
  /** Grace period from then, in milliseconds. */
  graceMs: number;
}

/** Dependencies for answering a call. */
export interface AnswerDeps {
  catalog: Catalog;
  upstreams: Upstreams;
  dispatcher: Dispatcher;
  log: Log;
  usage: Pick<UsageWriter, 'add'>;
  /** Decodes large whole answers in a thread; if absent, they are decoded in place. */
  decoding?: Decoding;
  /** If absent, sessions last as long as the worker. */
  sessions?: SessionEnds;
}

/** A call as its targets need it. The bytes of a form are streamed again for each target. */
export type TargetCall = Pick<ServedCall, 'envelope' | 'body' | 'signal' | 'send' | 'drained' | 'announce'> &
  Partial<Pick<ServedCall, 'sendWritten'>> & {
    incoming?: Incoming | undefined;
  };

/** Answers a call from the first of its targets that succeeds. */
export type RunTargets = (call: TargetCall, parts: AnswerDeps) => Promise<void>;

export type Incoming = Pick<NonNullable<ServedCall['incoming']>, 'bytes'>;
