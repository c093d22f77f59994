import { randomBytes } from 'node:crypto';
import { type Message, type SessionListener, weightOf } from '@model-gateway/bus';
import type { GatewayError } from '@model-gateway/canonical';
import type { Model } from '@model-gateway/catalog';
import type { Deliverable } from '@model-gateway/ingress';
import { nextTurn } from '@model-gateway/service';
import { Backlog } from '../emulation/backlog.ts';
import { Emulation } from '../emulation/emulation.ts';
import { EventWriter, type SessionEvent } from '../emulation/event-writer.ts';
import type { SessionEnd } from '../emulation/model-answer.ts';
import { helpersOf, type ModelDeps, modelsOf } from '../emulation/model-calls.ts';
import { SessionMemory } from '../emulation/session-memory.ts';
import { fromBeta, toBeta } from './beta.ts';
import type { SessionPeer } from './session-peer.ts';

interface EmulatedSessionOptions {
  model: Pick<Model, 'realtime' | 'limits'>;
  envelope: Deliverable['envelope'];
  /** Latest end of the session, in milliseconds since 1970. */
  endsAt: number;
  /** The initial `session` object. */
  prepared: Record<string, unknown> | undefined;
  /** True if the client speaks the beta of the protocol. */
  beta?: boolean;
}

/** A session that the gateway holds itself, with models that have no realtime API. */
export class EmulatedSession implements SessionPeer {
  readonly #emulation: Emulation;
  readonly #backlog = new Backlog();
  readonly #memory: SessionMemory;
  readonly #writer: EventWriter;
  /** Settles when the client's last message is handled. */
  #handling: Promise<void> | undefined;
  readonly #beta: boolean;
  readonly #end: SessionEnd = { error: undefined };
  #listener: SessionListener | undefined;

  /** @throws GatewayError of kind `invalid-request` if `prepared` is invalid */
  constructor({ model, envelope, endsAt, prepared, beta = false }: EmulatedSessionOptions, deps: ModelDeps) {
    const { realtime, limits } = model;
    const { token } = envelope;
    this.#beta = beta;
    const turn = () => nextTurn(undefined, token.id);
    this.#memory = new SessionMemory(deps.held.share(token.id));
    this.#writer = new EventWriter({
      backlog: this.#backlog,
      turn,
      share: () => deps.held.share(token.id),
      send: data => this.#send({ data, text: true }),
      failed: error => this.#fail(error),
    });
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
      memory: this.#memory,
      turn,
      ready: () => this.#backlog.drained(),
      checkEvent: bytes => this.#writer.check(bytes),
      ...(beta && { translate: fromBeta }),
      emit: event => this.#emit(event),
    });
  }

  listen(listener: SessionListener): void {
    this.#listener = listener;
    this.#emulation.begin();
  }

  /** Returns false for a client that does not read: it is not read from, either. */
  send({ data }: Message): boolean {
    this.#handling = this.#emulation.receive(data);
    return !this.#handling && !this.#backlog.full;
  }

  get drained(): Promise<void> {
    return this.#ready();
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
    this.#writer.end();
    this.#backlog.end();
    this.#emulation.end();
    this.#memory.release();
  }

  async #ready(): Promise<void> {
    await this.#handling;
    await this.#backlog.drained();
  }

  /** Ends the session with an error. */
  #fail(error: GatewayError): void {
    this.#listener?.onEnd(error);
  }

  #emit(event: SessionEvent): void {
    if (!this.#listener) return;
    if (!this.#beta) return this.#writer.write(event);
    for (const each of toBeta({ ...event })) this.#writer.write(each as unknown as SessionEvent);
  }

  #send(message: Message): void {
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
