import type { RealtimeStatusDetails } from '@model-gateway/formats';
import type { ResponseWriter } from '@model-gateway/formats/realtime';
import { encodeRequest } from './encode-request.ts';
import type { Item } from './item.ts';
import type { Answering, Models } from './models.ts';
import { renderFailure } from './render-failure.ts';
import type { ResponseSettings } from './settings.ts';
import type { Speaker } from './speaker.ts';

interface RunningOptions {
  id: string;
  /** True if the response writes to the conversation. */
  inConversation: boolean;
  settings: ResponseSettings;
  writer: ResponseWriter;
  speaker: Speaker | undefined;
  /** Aborts the calls of models. */
  abort: AbortController;
  models: Models;
  /** Called when the response is over. */
  ended(): void;
}

/** A response in progress; it runs once and ends once. */
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

  /** Calls the model once the items are transcribed. */
  async run(items: readonly Item[], transcribed: Promise<unknown>): Promise<void> {
    const { settings, models, abort, writer, speaker } = this.#options;
    try {
      await transcribed;
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

  /** Ends the response and aborts its calls. */
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
