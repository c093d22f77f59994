import type { GenerateAnswer, PartStart } from '@model-gateway/canonical';
import type { AnswerRenderer, RenderContext } from '@model-gateway/ingress';
import type { ResponsesAnswer, ResponsesTokenCount } from '@model-gateway/wire';
import { renderFailure } from './render-failure.ts';
import { type IncomingRequest, renderHead } from './render-head.ts';
import { ResponseStream, renderEnd } from './render-stream.ts';
import type { MakeOutput } from './writer.ts';

/** `asked` is what the answer repeats of the request, `outputOf` what makes items of its parts. */
export function responsesRenderer(asked: IncomingRequest, outputOf: MakeOutput): AnswerRenderer {
  return {
    whole: (answer, context) => renderWhole(answer, context, asked, outputOf),
    stream(context) {
      const stream = new ResponseStream(context, asked, outputOf);
      return {
        add: event => stream.add(event),
        ping: silentMs => stream.ping(silentMs),
        fail: error => stream.fail(error),
      };
    },
  };
}

/** A whole answer is what its stream adds up to. */
function renderWhole(
  { start, parts, finish }: GenerateAnswer,
  context: RenderContext,
  asked: IncomingRequest,
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
  const head = renderHead(start, asked, context);
  if (failed) return { ...head, status: 'failed', error: renderFailure(failed) };
  return renderEnd(head, finish, { incomplete, output: output.items, context });
}

export function renderCount(tokens: number): ResponsesTokenCount {
  return { object: 'response.input_tokens', input_tokens: tokens };
}
