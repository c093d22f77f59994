import type { GenerateEvent, PartStart } from '@model-gateway/canonical';
import { type ResponsesUpstreamItem, responsesUpstreamImage } from '@model-gateway/wire';
import type { NextPart } from '../flow.ts';

/** An item that is shown once all of it is here: a picture, or what only this format has. */
export class WholeItem {
  readonly #nextPart: NextPart;
  readonly #own: boolean;

  /** For the format's `own` client everything stays as it is. */
  constructor(nextPart: NextPart, own: boolean) {
    this.#nextPart = nextPart;
    this.#own = own;
  }

  take(): GenerateEvent[] {
    return [];
  }

  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const index = this.#nextPart();
    const part =
      (!this.#own && picture(item)) || ({ type: 'opaque', format: 'responses', value: item } as const);
    return [
      { type: 'part-start', index, part },
      { type: 'part-end', index },
    ];
  }

  stop(): GenerateEvent[] {
    return [];
  }
}

/** A picture that the model made; undefined for anything else, and for one that it failed to make. */
function picture(item: ResponsesUpstreamItem): PartStart | undefined {
  const { data } = responsesUpstreamImage.safeParse(item);
  if (!data?.result) return undefined;
  const mediaType = `image/${data.output_format ?? 'png'}`;
  return { type: 'media', kind: 'image', source: { type: 'base64', data: data.result }, mediaType };
}
