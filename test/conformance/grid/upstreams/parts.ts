import type { Call, Content, Result } from '../ask.ts';
import type { Json } from '../json.ts';

/** Converts content that may be a text to a list of parts. */
export function partsOf(content: Json): Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

export function textOf(content: Json): string {
  return partsOf(content)
    .map(part => part.text ?? '')
    .join('');
}

/** The content of a data URL. */
export function inDataUrl(url: string): { mediaType: string; data: string } {
  const [, mediaType = '', data = ''] = /^data:([^;]*);base64,(.*)$/s.exec(url) ?? [];
  return { mediaType, data };
}

export function imageOf(url: string): Content {
  const { mediaType, data } = inDataUrl(url);
  return data ? { image: data, mediaType } : { imageUrl: url };
}

export function documentOf(url: string, name: string | undefined): Content {
  const { mediaType, data } = inDataUrl(url);
  return { document: data, mediaType, ...(name !== undefined && { name }) };
}

/** Pairs results with the calls that they answer, by their ids. */
export class Pairing {
  #ids: string[] = [];

  /** The calls of a new turn, each id once. */
  calls(calls: { id: string; call: Call }[]): Call[] {
    this.#ids = calls.map(({ id }) => id);
    if (new Set(this.#ids).size < this.#ids.length) throw new Error(`ids that are the same: ${this.#ids}`);
    return calls.map(({ call }) => call);
  }

  result(id: string, text: string, failed = false): Result {
    const call = this.#ids.indexOf(id);
    if (call < 0) throw new Error(`a result of no call: ${id}`);
    return { call, text, ...(failed && { failed }) };
  }
}
