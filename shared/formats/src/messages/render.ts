import type {
  AssistantPart,
  GenerateAnswer,
  GenerateEvent,
  StartEvent,
  Usage,
} from '@model-gateway/canonical';
import type { AnswerRenderer, CountRenderer, RenderContext } from '../client/endpoint.ts';
import type { MessagesAnswer, MessagesTokenCount } from './answer.ts';
import { renderStop } from './finish.ts';
import { Blocks, frame, renderBlocks } from './render-blocks.ts';
import { renderUsage } from './usage.ts';

/** The fields of a request that affect how its response is rendered. */
export interface MessagesAnswerOptions {
  /** The model name of the request, for upstreams that send none. */
  model: string;
  /** True if thinking is sent without text, with only the signatures that the client sends back. */
  hideThinking?: boolean;
}

export function messagesRenderer(options: MessagesAnswerOptions): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, options),
    stream(context) {
      const stream = new MessageStream({
        ...options,
        head: start => renderStart(start, context, options),
        callId: index => callId(context.requestId, index),
      });
      return { add: event => stream.add(event) };
    },
  };
}

function renderWhole(
  { start, parts: all, finish }: GenerateAnswer,
  context: RenderContext,
  options: MessagesAnswerOptions,
): MessagesAnswer {
  const parts = options.hideThinking ? all.map(withoutThinkingText) : all;
  const refusal = parts.flatMap(part => (part.type === 'refusal' ? [part.text] : [])).join('');
  return {
    ...renderStart(start, context, options),
    content: parts.flatMap((part, i) => renderBlocks(part, callId(context.requestId, i))),
    ...renderStop(finish, refusal),
    usage: renderUsage(finish.usage),
  };
}

/** Removes the text of thinking. Unsigned thinking then has no block at all. */
function withoutThinkingText(part: AssistantPart): AssistantPart {
  return part.type === 'reasoning' ? { ...part, text: '' } : part;
}

/** Renders the message of `message_start`. */
function renderStart(
  { id, model, usage }: StartEvent,
  { requestId }: RenderContext,
  options: MessagesAnswerOptions,
): MessagesAnswer {
  return {
    id: messageId(id, requestId),
    type: 'message',
    role: 'assistant',
    model: model || options.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: renderUsage(usage ?? null),
  };
}

export const countRenderer: CountRenderer = {
  type: 'count',
  count: (tokens): MessagesTokenCount => ({ input_tokens: tokens }),
};

interface StreamOptions {
  hideThinking?: boolean;
  /** Renders the message of `message_start`. */
  head(start: StartEvent): MessagesAnswer;
  /** Returns an id for the call at this index, if it has none. */
  callId(index: number): string;
}

/** Writes a response's events in this format, in the only order that its clients can read. */
class MessageStream {
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
      case 'audio':
      case 'result':
      case 'error':
        return '';
    }
  }
}

/** Returns the upstream's id if it is a message id, else one derived from the request id. */
function messageId(id: string, requestId: string): string {
  return id.startsWith('msg_') ? id : `msg_${withoutPrefix(requestId)}`;
}

/** Returns an id for a call to which the upstream gave none. */
function callId(requestId: string, index: number): string {
  return `toolu_${withoutPrefix(requestId)}_${index}`;
}

function withoutPrefix(requestId: string): string {
  return requestId.replace(/^req_/, '');
}
