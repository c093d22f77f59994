import type { UsageWriter } from '@model-gateway/bus';
import type { Catalog } from '@model-gateway/catalog';
import type { Log } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import type { MeasureStream } from './attempt-timers.ts';
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
  /** Measures streams; if absent, they are not measured. */
  streams?: MeasureStream;
  /** Decodes large whole answers in a thread; if absent, they are decoded in place. */
  decoding?: Decoding;
  /** If absent, sessions last as long as the worker. */
  sessions?: SessionEnds;
}
