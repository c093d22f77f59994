import { GatewayError, type GenerateEvent, noUsage, toErrorEvent } from '@model-gateway/canonical';
import type { GenerateInput } from './dialect.ts';
import { WholeBody } from './whole-body.ts';

/** True if the client requests a token count and the request is translated. */
export function countsTranslated({ envelope, body }: GenerateInput): boolean {
  return envelope.operation === 'count-tokens' && body === 'canonical';
}

/** Decodes an upstream's token count into a response without parts, with the count as its input usage. */
export class CountDecoder extends WholeBody {
  readonly #read: (body: unknown) => number | undefined;

  /** `read` returns the count in an upstream's response, or undefined. */
  constructor(read: (body: unknown) => number | undefined) {
    super();
    this.#read = read;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const input = this.#count(bytes);
    if (input === undefined)
      return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed token count.'))];
    const usage = { ...noUsage, input };
    return [
      { type: 'start', id: '', model: '' },
      { type: 'finish', reason: 'stop', raw: null, usage },
    ];
  }

  #count(bytes: Buffer): number | undefined {
    try {
      return this.#read(JSON.parse(bytes.toString('utf8')));
    } catch {
      return undefined;
    }
  }
}
