import type { IncomingHttpHeaders } from 'node:http';
import type { ParsedRequest } from '@model-gateway/ingress';
import { exactKeys, exactly, readBody, translate } from '../body/parse.ts';
import { isForeignHistory } from '../foreign/parse.ts';
import { Output } from '../output/render.ts';
import { asksForSummary, withTask } from '../summary/parse.ts';
import { SummaryOutput } from '../summary/render.ts';
import { ToolNames } from '../tools/names.ts';
import { responsesRenderer } from './render.ts';

/** `text` is the body's own. @throws GatewayError of kind `invalid-request` */
export function parse(
  body: Record<string, unknown>,
  _headers?: IncomingHttpHeaders,
  text?: Buffer,
): ParsedRequest {
  const data = readBody(body);
  const asked = asksForSummary(data) ? withTask(body) : body;
  const exact = exactKeys(asked, text);
  const names = new ToolNames();
  return {
    model: data.model,
    stream: data.stream === true,
    foreign: isForeignHistory(data),
    exact,
    canonical: (given = exactly(exact, text)) => translate(asked, given, names),
    render: rendererFor(data, names),
  };
}

/** Apart from what reads the body, so that an answer does not hold on to it. */
function rendererFor(data: ReturnType<typeof readBody>, names: ToolNames) {
  const { input: _, ...asked } = data;
  const summary = asksForSummary(data);
  return responsesRenderer(asked, (requestId, frame) =>
    summary ? new SummaryOutput(requestId, frame) : new Output({ requestId, names, frame }),
  );
}
