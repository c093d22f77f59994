import { renamePath } from '@model-gateway/canonical';
import type { Decoder, Dialect, GenerateInput } from '../upstream/dialect.ts';
import { StopCut } from '../upstream/stop-cut.ts';
import { clientNames } from '../upstream/tools.ts';
import { CountDecoder, countsTranslated } from '../upstream/whole-body.ts';
import { decodeBody, decodeEvents, decodeFailure, decodeStream, readCount, WholeDecoder } from './decode.ts';
import type { ItemsOptions } from './decode-items.ts';
import { encode } from './encode.ts';
import { responsesFields } from './fields.ts';

/** The Responses API of OpenAI and compatible providers. */
export const responsesDialect: Dialect = {
  format: 'responses',
  bodies: ['verbatim', 'canonical'],
  choices: 'one',
  encode,
  decodeStream: decodeUntilStop,
  decodeWhole: input => (countsTranslated(input) ? new CountDecoder(readCount) : new WholeDecoder()),
  decodeEvents: input => decodeEvents(itemsOptions(input)),
  decodeBody(body, input) {
    const events = decodeBody(body, itemsOptions(input));
    const stop = stopOf(input);
    if (!events || stop.length === 0) return events;
    const end = events.at(-1);
    const usage = end?.type === 'finish' ? end.usage : null;
    return new StopCut({ read: () => events, end: () => [], usage }, stop).read(body);
  },
  decodeFailure,
  pathOf: param => renamePath(param, responsesFields.paths),
};

function decodeUntilStop(input: GenerateInput): Decoder {
  const decoder = decodeStream(input.body === 'canonical' ? itemsOptions(input) : { verbatim: true });
  const stop = stopOf(input);
  return stop.length > 0 ? new StopCut(decoder, stop) : decoder;
}

/** Returns the stop sequences. The format has none, so the gateway cuts the response. */
function stopOf(input: GenerateInput): string[] {
  const { stop = [] } = input.body === 'canonical' ? input.request : {};
  return stop.filter(sequence => sequence !== '');
}

function itemsOptions(input: GenerateInput): ItemsOptions {
  const request = input.body === 'canonical' ? input.request : undefined;
  return {
    toolName: clientNames(request?.tools),
    seed: input.envelope.requestId,
    history: request?.messages ?? [],
    sameFormat: input.body === 'verbatim',
  };
}
