import { setTimeout as sleep } from 'node:timers/promises';
import { realtimeTurn } from '../../compose/socket.ts';
import type { Target } from './ask.ts';

/** Consecutive realtime sessions of one turn each. */
export class Sessions implements AsyncDisposable {
  /** The number of sessions whose turn was answered. */
  clean = 0;
  readonly failed: string[] = [];
  #on = true;
  readonly #ended: Promise<void>;

  constructor({ url, token }: Target) {
    this.#ended = this.#run(url, token);
  }

  async end(): Promise<void> {
    this.#on = false;
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #run(url: string, token: string): Promise<void> {
    for (; this.#on; await sleep(500)) {
      try {
        const events = await realtimeTurn(url, token, 'What is the gateway?');
        if (!events.includes('response.output_text.delta')) throw new Error(`no text in ${events}`);
        this.clean++;
      } catch (error) {
        this.failed.push(String(error));
      }
    }
  }
}
