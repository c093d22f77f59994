import { GatewayError } from '@model-gateway/canonical';
import type { Ingress } from '@model-gateway/ingress';
import { type Job, type JobEnd, RevisionConflictError } from '@model-gateway/store';
import { RequestReads } from '../reads/reads.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { isOver } from '../store/turn.ts';
import type { StoredTurn } from '../store/turn-parts.ts';
import { Attempt, type BackgroundTurn } from './attempt.ts';
import { withStatus } from './render-waiting.ts';

/** Runs queued background responses, each as an ordinary call. */
export class Runner {
  readonly #services: ResponseServices;
  readonly #ingress: () => Ingress;
  /** Functions that abort the responses that run in this process, by response key. */
  readonly #running = new Map<string, () => void>();

  constructor(services: ResponseServices, ingress: () => Ingress) {
    this.#services = services;
    this.#ingress = ingress;
  }

  /** Aborts a response if it runs in this process. */
  cancel(key: string): void {
    this.#running.get(key)?.();
  }

  /**
   * Reads a turn within the share of memory of its project's background responses. The attempt reserves what it holds of the
   * turn for the token.
   */
  async #read(project: string, id: string): Promise<StoredTurn | undefined | 'no room'> {
    const { store, places, bodyBytes } = this.#services;
    const owner = `background ${project}`;
    const share = this.#ingress().parts.held.share(owner);
    const reads = new RequestReads(places, { tokenId: owner, share, signal: undefined, bodyBytes });
    try {
      return await store.through(reads).get(project, id);
    } catch (error) {
      if (error instanceof GatewayError && error.details.share) return 'no room';
      throw error;
    } finally {
      reads.release();
    }
  }

  async run({ text, signal }: Job): Promise<JobEnd> {
    const { project, id } = JSON.parse(text) as { project: string; id: string };
    const { store } = this.#services;
    const turn = await this.#read(project, id);
    if (turn === 'no room') return 'again';
    if (!turn?.meta.background || isOver(turn)) return 'done';
    const begun = turn as BackgroundTurn;
    const { attempts } = begun.meta.background;
    attempts.push({ at: store.clock.now() });
    begun.response = withStatus(begun.response, 'in_progress');
    try {
      begun.revision = await store.put(project, begun, begun.revision);
      return await new Attempt(this.#services, project, begun).run(this.#ingress(), signal, this.#running);
    } catch (error) {
      // The response was cancelled, or another process runs it.
      if (error instanceof RevisionConflictError) return 'left';
      throw error;
    }
  }
}
