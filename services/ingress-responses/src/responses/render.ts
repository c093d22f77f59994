import type { GenerateAnswer, PartStart } from '@model-gateway/canonical';
import type { AnswerRenderer, RenderContext } from '@model-gateway/ingress';
import type { ResponsesAnswer } from '@model-gateway/wire';
import type { Asked } from '../head/echo.ts';
import { renderHead } from '../head/render.ts';
import { Output } from '../output/render.ts';
import { ResponseStream, renderEnd } from '../stream/render.ts';
import type { ToolNames } from '../tools/names.ts';

/** `asked` is what the answer repeats of the request, `names` its tools. */
export function responsesRenderer(asked: Asked, names: ToolNames): AnswerRenderer {
  return {
    whole: (answer, context) => renderWhole(answer, context, asked, names),
    stream(context) {
      const stream = new ResponseStream(context, asked, names);
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
  asked: Asked,
  names: ToolNames,
): ResponsesAnswer {
  const output = new Output({ requestId: context.requestId, names, frame: () => '' });
  for (const [index, part] of parts.entries()) {
    output.start(index, part as PartStart);
    if (part.type === 'tool-call') output.add(index, part.arguments);
    else if ('text' in part) output.add(index, part.text);
    output.end({ ...part, index });
  }
  const { incomplete } = output.finish(finish);
  return renderEnd(renderHead(start, asked, context), finish, { incomplete, output: output.items, context });
}
