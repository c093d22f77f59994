import { randomBytes } from 'node:crypto';
import { type Message, type SessionListener, weightOf } from '@model-gateway/bus';
import type { GatewayError } from '@model-gateway/canonical';
import type { Model } from '@model-gateway/catalog';
import type { Deliverable } from '@model-gateway/ingress';
import type { SessionPeer } from '../socket/session-peer.ts';
import { Backlog } from './backlog.ts';
import { Emulation } from './emulation.ts';
import type { SessionEnd } from './model-answer.ts';
import { helpersOf, type ModelDeps, modelsOf } from './model-calls.ts';

interface EmulatedSessionOptions {
  model: Pick<Model, 'realtime' | 'limits'>;
  envelope: Deliverable['envelope'];
  /** Latest end of the session, in milliseconds since 1970. */
  endsAt: number;
  /** The initial `session` object. */
  prepared: Record<string, unknown> | undefined;
}

/** A session that the gateway holds itself, with models that have no realtime API. */
export class EmulatedSession implements SessionPeer {
  readonly #emulation: Emulation;
  readonly #backlog = new Backlog();
  readonly #end: SessionEnd = { error: undefined };
  #listener: SessionListener | undefined;

  /** @throws GatewayError of kind `invalid-request` if `prepared` is invalid */
  constructor({ model, envelope, endsAt, prepared }: EmulatedSessionOptions, deps: ModelDeps) {
    const { realtime, limits } = model;
    const helpers = helpersOf(model, deps.catalog);
    this.#emulation = new Emulation({
      model: envelope.model,
      expiresAt: Math.floor(endsAt / 1_000),
      transcription: helpers.transcription,
      speech: helpers.speech !== undefined,
      voice: typeof realtime === 'object' ? realtime.voice : undefined,
      context: limits.context,
      prepared,
      models: modelsOf({ envelope, deps, backlog: this.#backlog, end: this.#end }, helpers),
      newId: idMaker(),
      emit: event => this.#emit({ data: Buffer.from(JSON.stringify(event)), text: true }),
    });
  }

  listen(listener: SessionListener): void {
    this.#listener = listener;
    this.#emulation.begin();
  }

  /** Returns false for a client that does not read: it is not read from, either. */
  send({ data }: Message): boolean {
    this.#emulation.receive(data);
    return !this.#backlog.full;
  }

  get drained(): Promise<void> {
    return this.#backlog.drained();
  }

  consumed(weight: number): void {
    this.#backlog.taken(weight);
  }

  close(): void {
    this.cancel();
  }

  cancel(error?: GatewayError): void {
    this.#end.error = error;
    this.#listener = undefined;
    this.#backlog.end();
    this.#emulation.end();
  }

  #emit(message: Message): void {
    if (!this.#listener) return;
    const weight = weightOf(message);
    this.#backlog.add(weight);
    this.#listener.onMessage(message, weight);
  }
}

/** Returns a generator of ids: random per session, numbered within it. */
function idMaker(): (prefix: string) => string {
  const sessionPart = randomBytes(9).toString('base64url').replace(/[-_]/g, 'x');
  let count = 0;
  return prefix => `${prefix}_${sessionPart}${(++count).toString(36).padStart(4, '0')}`;
}
