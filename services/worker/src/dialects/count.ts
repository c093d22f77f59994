import { GatewayError, type GenerateEvent, noUsage, toErrorEvent } from '@model-gateway/canonical';
import type { EncodeInput } from './dialect.ts';
import { WholeBody } from './whole-body.ts';

/** Whether what is asked is how many tokens a request of another format holds. */
export function countsTranslated({ envelope, request }: EncodeInput): boolean {
  return envelope.operation === 'count-tokens' && request !== undefined;
}

/** Reads an upstream's count: an answer of no parts, whose usage has it as its input. */
export class CountDecoder extends WholeBody {
  readonly #read: (body: unknown) => number | undefined;

  /** `read` finds the count in an upstream's answer. */
  constructor(read: (body: unknown) => number | undefined) {
    super();
    this.#read = read;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const input = this.#count(bytes);
    if (input === undefined)
      return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed count of tokens.'))];
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
