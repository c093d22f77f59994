import type { Agent as HttpsAgent } from 'node:https';
import type { Faults, UsageWriter } from '@model-gateway/bus';
import type { Catalog } from '@model-gateway/catalog';
import type { Clock } from '@model-gateway/clock';
import type { Log } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import type { AnswerBudget } from './answer-budget.ts';
import type { MeasureStream } from './attempt-timers.ts';
import type { TraceDeps } from './call-trace.ts';
import type { Decoding } from './decoding.ts';
import type { WholeAnswers } from './exchange.ts';
import type { ProviderProblems } from './provider-problems.ts';
import type { NoteReason } from './unknown-reasons.ts';
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
  /** The time of attempts and sessions. */
  clock: Clock;
  catalog: Catalog;
  upstreams: Upstreams;
  dispatcher: Dispatcher;
  /** The agent of WebSockets to upstreams with TLS, if they take a proxy of the environment. */
  agent?: HttpsAgent | undefined;
  log: Log;
  /** Takes what the callbacks of upstreams throw; if absent, it only fails their attempts. */
  faults?: Pick<Faults, 'report'>;
  /** Bounds the answers that are held; if absent, only the size of each is bounded. */
  answers?: AnswerBudget;
  usage: Pick<UsageWriter, 'add'>;
  /** Measures streams; if absent, they are not measured. */
  streams?: MeasureStream;
  /** Takes the finish reasons that are not known; if absent, they are only told as cuts. */
  reasons?: NoteReason;
  /** Keeps what to change in the configuration of providers that fail; if absent, only the log says it. */
  providerProblems?: ProviderProblems;
  /** Decodes large whole answers in a thread; if absent, they are decoded in place. */
  decoding?: Decoding;
  /** The models that were found to answer only whole; if absent, none is remembered. */
  wholeAnswers?: WholeAnswers;
  /** If absent, sessions last as long as the worker. */
  sessions?: SessionEnds;
  /** If absent, traces are neither continued nor passed on. */
  traces?: TraceDeps;
}
