import type { AssistantPart, GenerateAnswer, StartEvent } from '@model-gateway/canonical';
import type { AnswerRenderer, RenderContext } from '@model-gateway/ingress';
import type { MessagesAnswer, MessagesTokenCount } from '@model-gateway/wire';
import { callId, messageId, renderBlocks } from './render-content.ts';
import { renderStop, renderUsage } from './render-stop.ts';
import { MessageStream } from './render-stream.ts';

/** What of a request decides how its answer is written. */
export interface MessagesAnswerOptions {
  /** As the client named it, for upstreams that don't name theirs. */
  model: string;
  /** The client wants to see no thinking, but the signatures that it sends back. */
  hideThinking?: boolean;
}

export function messagesRenderer(options: MessagesAnswerOptions): AnswerRenderer {
  return {
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
  const parts = options.hideThinking ? all.map(withoutThought) : all;
  const refusal = parts.flatMap(part => (part.type === 'refusal' ? [part.text] : [])).join('');
  return {
    ...renderStart(start, context, options),
    content: parts.flatMap((part, i) => renderBlocks(part, callId(context.requestId, i))),
    ...renderStop(finish, refusal),
    usage: renderUsage(finish.usage),
  };
}

/** Without its text, thinking that no vendor signed is no block at all. */
function withoutThought(part: AssistantPart): AssistantPart {
  return part.type === 'reasoning' ? { ...part, text: '' } : part;
}

/** The message as a stream begins it. */
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

export function renderCount(tokens: number): MessagesTokenCount {
  return { input_tokens: tokens };
}
