import type { GenerateEvent, StartEvent, Usage } from '@model-gateway/canonical';
import type { MessagesAnswer } from '@model-gateway/wire';
import { Blocks, frame } from './render-blocks.ts';
import { renderStop, renderUsage } from './render-stop.ts';

interface StreamOptions {
  hideThinking?: boolean;
  /** Renders the message of `message_start`. */
  head(start: StartEvent): MessagesAnswer;
  /** Returns an id for the call at this index, if it has none. */
  callId(index: number): string;
}

/** Writes a response's events in this format, in the only order that its clients can read. */
export class MessageStream {
  readonly #head: StreamOptions['head'];
  readonly #blocks: Blocks;
  #usage: Usage | null = null;
  #begun = false;

  constructor({ head, callId, hideThinking = false }: StreamOptions) {
    this.#head = head;
    this.#blocks = new Blocks(callId, hideThinking);
  }

  add(event: GenerateEvent): string {
    // A second `message_start` breaks clients.
    if (event.type === 'start') return this.#begun ? '' : this.#begin(event);
    const head = this.#begun ? '' : this.#begin({ type: 'start', id: '', model: '' });
    return head + this.#rest(event);
  }

  #begin(start: StartEvent): string {
    this.#begun = true;
    this.#usage = start.usage ?? null;
    return frame('message_start', { message: this.#head(start) });
  }

  #rest(event: Exclude<GenerateEvent, StartEvent>): string {
    // This format has only one choice.
    if ('choice' in event && event.choice) return '';
    switch (event.type) {
      case 'part-start':
        return this.#blocks.start(event.index, event.part);
      case 'part-delta':
        return this.#blocks.add(event.index, event.text);
      case 'part-end':
        return this.#blocks.end(event);
      case 'finish': {
        const { stop_details, ...stop } = renderStop(event, this.#blocks.refusal);
        const usage = renderUsage(event.usage ?? this.#usage);
        return (
          this.#blocks.endAll() +
          frame('message_delta', { delta: { ...stop, stop_details, container: null }, usage }) +
          frame('message_stop', {})
        );
      }
      case 'choice-end':
      case 'verbatim':
      case 'result':
      case 'error':
        return '';
    }
  }
}
