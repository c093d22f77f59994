import type { GenerateAnswer, StartEvent } from '@model-gateway/canonical';
import type { AnswerRenderer, RenderContext } from '@model-gateway/ingress';
import type { MessagesAnswer } from '@model-gateway/wire';
import { renderBlocks } from '../content/render.ts';
import { callId, messageId } from '../ids.ts';
import { renderStop } from '../stop/render.ts';
import { MessageStream } from '../stream/render.ts';
import { renderUsage } from '../usage/render.ts';

export const render: AnswerRenderer = {
  whole: renderWhole,
  stream(context) {
    const stream = new MessageStream({
      head: start => renderStart(start, context),
      callId: index => callId(context.requestId, index),
    });
    return event => stream.add(event);
  },
};

function renderWhole({ start, parts, finish }: GenerateAnswer, context: RenderContext): MessagesAnswer {
  const refusal = parts.flatMap(part => (part.type === 'refusal' ? [part.text] : [])).join('');
  return {
    ...renderStart(start, context),
    content: parts.flatMap((part, i) => renderBlocks(part, callId(context.requestId, i))),
    ...renderStop(finish, refusal),
    usage: renderUsage(finish.usage),
  };
}

/** The message as a stream begins it. */
function renderStart({ id, model, usage }: StartEvent, { requestId }: RenderContext): MessagesAnswer {
  return {
    id: messageId(id, requestId),
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: null,
    usage: renderUsage(usage ?? null),
  };
}
