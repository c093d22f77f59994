import { GatewayError, type GenerateEvent, noUsage, toErrorEvent } from '@model-gateway/canonical';
import type { Decoder, EncodeInput } from './dialect.ts';

/** Whether what is asked is how many tokens a request of another format holds. */
export function countsTranslated({ envelope, request }: EncodeInput): boolean {
  return envelope.operation === 'count-tokens' && request !== undefined;
}

/** Reads an upstream's count: an answer of no parts, whose usage has it as its input. */
export class CountDecoder implements Decoder {
  readonly #read: (body: unknown) => number | undefined;
  readonly #chunks: Buffer[] = [];

  /** `read` finds the count in an upstream's answer. */
  constructor(read: (body: unknown) => number | undefined) {
    this.#read = read;
  }

  read(bytes: Buffer): GenerateEvent[] {
    this.#chunks.push(bytes);
    return [];
  }

  end(): GenerateEvent[] {
    const input = this.#count();
    if (input === undefined)
      return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed count of tokens.'))];
    const usage = { ...noUsage, input };
    return [
      { type: 'start', id: '', model: '' },
      { type: 'finish', reason: 'stop', raw: null, usage },
    ];
  }

  #count(): number | undefined {
    try {
      return this.#read(JSON.parse(Buffer.concat(this.#chunks).toString('utf8')));
    } catch {
      return undefined;
    }
  }
}
