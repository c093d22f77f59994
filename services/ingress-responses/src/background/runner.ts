import type { Ingress } from '@model-gateway/ingress';
import { type Job, type JobEnd, RevisionConflictError } from '@model-gateway/store';
import type { ResponseServices } from '../store/response-services.ts';
import { isOver } from '../store/turn.ts';
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

  async run({ text, signal }: Job): Promise<JobEnd> {
    const { project, id } = JSON.parse(text) as { project: string; id: string };
    const { store } = this.#services;
    const turn = await store.get(project, id);
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
