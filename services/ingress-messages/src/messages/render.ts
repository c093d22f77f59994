import type { AssistantPart, GenerateAnswer, StartEvent } from '@model-gateway/canonical';
import type { AnswerRenderer, CountRenderer, RenderContext } from '@model-gateway/ingress';
import type { MessagesAnswer, MessagesTokenCount } from '@model-gateway/wire';
import { callId, messageId, renderBlocks } from './render-content.ts';
import { renderStop, renderUsage } from './render-stop.ts';
import { MessageStream } from './render-stream.ts';

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
