import type { GenerateAnswer, PartStart } from '@model-gateway/canonical';
import type { AnswerRenderer, CountRenderer, RenderContext } from '../client/endpoint.ts';
import type { ResponsesAnswer } from './answer.ts';
import { renderFailure } from './render-failure.ts';
import { type EchoedRequest, renderHead } from './render-head.ts';
import { Output } from './render-output.ts';
import { ResponseStream, renderEnd } from './render-stream.ts';
import { SummaryOutput } from './render-summary.ts';
import type { ToolNames } from './tool-names.ts';
import type { ResponsesTokenCount } from './upstream-answer.ts';
import type { MakeOutput } from './writer.ts';

/** The fields of a request that affect how its response is rendered. */
export interface ResponsesRendering {
  /** The fields that the response repeats. */
  request: EchoedRequest;
  /** The names of the tools in the canonical request. */
  names: ToolNames;
  /** True if the response is a summary of the conversation. */
  summary: boolean;
}

export function rendererOf({ request, names, summary }: ResponsesRendering): AnswerRenderer {
  return responsesRenderer(request, (requestId, frame) =>
    summary ? new SummaryOutput(requestId, frame) : new Output({ requestId, names, frame }),
  );
}

/** Returns the renderer. The response repeats fields of `request`; `outputOf` turns its parts into items. */
export function responsesRenderer(request: EchoedRequest, outputOf: MakeOutput): AnswerRenderer {
  return {
    type: 'answer',
    whole: (answer, context) => renderWhole(answer, context, request, outputOf),
    stream(context) {
      const stream = new ResponseStream(context, request, outputOf);
      return {
        add: event => stream.add(event),
        ping: silentMs => stream.ping(silentMs),
        fail: error => stream.fail(error),
      };
    },
  };
}

/** Renders a complete response from the same events as a stream. */
function renderWhole(
  { start, parts, finish }: GenerateAnswer,
  context: RenderContext,
  request: EchoedRequest,
  outputOf: MakeOutput,
): ResponsesAnswer {
  const output = outputOf(context.requestId, () => '');
  for (const [index, part] of parts.entries()) {
    output.start(index, part as PartStart);
    if (part.type === 'tool-call') output.add(index, part.arguments);
    else if ('text' in part) output.add(index, part.text);
    output.end({ ...part, index });
  }
  const { incomplete, failed } = output.finish(finish);
  const head = renderHead(start, request, context);
  if (failed) return { ...head, status: 'failed', error: renderFailure(failed) };
  return renderEnd(head, finish, { incomplete, output: output.items, context });
}

export const countRenderer: CountRenderer = {
  type: 'count',
  count: (tokens): ResponsesTokenCount => ({ object: 'response.input_tokens', input_tokens: tokens }),
};
