import type { RealtimeStatusDetails } from '@model-gateway/wire';
import { encodeRequest } from './encode-request.ts';
import type { Item } from './item.ts';
import type { Answering, Models } from './models.ts';
import { renderFailure } from './render-failure.ts';
import type { ResponseWriter } from './render-response.ts';
import type { ResponseSettings } from './settings.ts';
import type { Speaker } from './speaker.ts';

export interface RunningOptions {
  id: string;
  /** Whether it writes to the conversation. */
  inConversation: boolean;
  settings: ResponseSettings;
  writer: ResponseWriter;
  speaker: Speaker | undefined;
  /** Aborts what is asked for it. */
  abort: AbortController;
  models: Models;
  /** It is over. */
  ended(): void;
}

/** A response under way: asked for once, and ended once. */
export class Running {
  readonly id: string;
  readonly inConversation: boolean;
  readonly #options: RunningOptions;
  #answering: Answering | undefined;
  #over = false;

  constructor(options: RunningOptions) {
    this.id = options.id;
    this.inConversation = options.inConversation;
    this.#options = options;
  }

  /** Asks the model, once what the user said in these items is written down. */
  async run(items: readonly Item[], heard: Promise<unknown>): Promise<void> {
    const { settings, models, abort, writer, speaker } = this.#options;
    try {
      await heard;
      if (this.#over) return;
      let details: RealtimeStatusDetails = { type: 'completed' };
      this.#answering = models.generate(encodeRequest(items, settings), abort.signal, events => {
        for (const event of events) {
          if (this.#over) return;
          details = writer.add(event) ?? details;
        }
      });
      await this.#answering.done;
      await speaker?.done();
      this.end(details);
    } catch (thrown) {
      this.fail(thrown);
    }
  }

  fail(thrown: unknown): void {
    this.end({ type: 'failed', error: renderFailure(thrown) });
  }

  /** Ends it, whatever was still to come. */
  end(details: RealtimeStatusDetails): void {
    if (this.#over) return;
    this.#over = true;
    const { abort, speaker, writer, ended } = this.#options;
    speaker?.stop();
    abort.abort();
    ended();
    writer.close(details, this.#answering?.usage() ?? null);
  }
}
