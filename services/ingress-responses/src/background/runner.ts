import { EventEmitter } from 'node:events';
import { type Job, type JobEnd, RevisionConflictError } from '@model-gateway/bus';
import type { Ingress, ResponseSink } from '@model-gateway/ingress';
import type { ResponseServices } from '../store/response-services.ts';
import { isOver } from '../store/turn.ts';
import { Attempt, type BackgroundTurn } from './attempt.ts';
import { withStatus } from './render-waiting.ts';

/** Answers what waits in the background, each as an ordinary call. */
export class Runner {
  readonly #shelf: ResponseServices;
  readonly #ingress: () => Ingress;
  /** What runs here, and what ends it. */
  readonly #running = new Map<string, () => void>();

  constructor(shelf: ResponseServices, ingress: () => Ingress) {
    this.#shelf = shelf;
    this.#ingress = ingress;
  }

  /** Ends a response that is not wanted any more, if it runs here. */
  cancel(key: string): void {
    this.#running.get(key)?.();
  }

  async run({ text, signal }: Job): Promise<JobEnd> {
    const { project, id } = JSON.parse(text) as { project: string; id: string };
    const { store } = this.#shelf;
    const turn = await store.get(project, id);
    if (!turn?.meta.background || isOver(turn)) return 'done';
    const begun = turn as BackgroundTurn;
    const { attempts } = begun.meta.background;
    attempts.push({ at: Date.now() });
    begun.response = withStatus(begun.response, 'in_progress');
    try {
      begun.revision = await store.put(project, begun, begun.revision);
      return await new Attempt(this.#shelf, project, begun).run(this.#ingress(), signal, this.#running);
    } catch (error) {
      // It was cancelled, or another process runs it.
      if (error instanceof RevisionConflictError) return 'left';
      throw error;
    }
  }
}

/** Where an answer goes that nobody waits for. */
export class JobOutlet implements ResponseSink {
  readonly #events = new EventEmitter();
  readonly writableNeedDrain = false;
  readonly writableLength = 0;
  headersSent = false;
  destroyed = false;
  statusCode = 200;

  on(event: 'drain' | 'close', listener: () => void): void {
    this.#events.on(event, listener);
  }

  setHeader(): void {}

  writeHead(status: number): void {
    this.headersSent = true;
    this.statusCode = status;
  }

  write(): void {}

  /** As of a socket, that all was taken shows later. */
  end(): void {
    setImmediate(() => this.#close());
  }

  destroy(): void {
    this.#close();
  }

  #close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#events.emit('close');
  }
}
