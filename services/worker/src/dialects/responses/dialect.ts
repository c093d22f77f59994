import { CountDecoder, countsTranslated } from '../count.ts';
import type { Decoder, Dialect, EncodeInput } from '../dialect.ts';
import { StopCut } from '../stop-cut.ts';
import { toolName } from '../tool-names.ts';
import { decodeBody, decodeFailure, decodeStream, readCount, WholeDecoder } from './decode.ts';
import type { ItemsOptions } from './decode-items.ts';
import { encode } from './encode.ts';

/** The Responses API of OpenAI and compatible providers. */
export const responsesDialect: Dialect = {
  format: 'responses',
  choices: 'one',
  encode,
  decodeStream: decodeUntilStop,
  decodeWhole: input => (countsTranslated(input) ? new CountDecoder(readCount) : new WholeDecoder()),
  decodeBody(body, input) {
    const events = decodeBody(body, itemsOptions(input));
    const stop = stopOf(input);
    if (!events || stop.length === 0) return events;
    const end = events.at(-1);
    const usage = end?.type === 'finish' ? end.usage : null;
    return new StopCut({ read: () => events, end: () => [], usage }, stop).read(body);
  },
  decodeFailure,
};

function decodeUntilStop(input: EncodeInput): Decoder {
  const decoder = decodeStream(input.request ? itemsOptions(input) : { verbatim: true });
  const stop = stopOf(input);
  return stop.length > 0 ? new StopCut(decoder, stop) : decoder;
}

/** Returns the stop sequences. The format has none, so the gateway cuts the response. */
function stopOf({ request }: EncodeInput): string[] {
  return request?.stop?.filter(sequence => sequence !== '') ?? [];
}

function itemsOptions({ text, request, envelope }: EncodeInput): ItemsOptions {
  const names = new Map<string, string>();
  for (const tool of request?.tools ?? []) if ('name' in tool) names.set(toolName(tool.name), tool.name);
  return {
    toolName: wire => names.get(wire) ?? wire,
    seed: envelope.requestId,
    sameFormat: text !== undefined,
  };
}
