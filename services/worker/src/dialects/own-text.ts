import {
  type Edit,
  type OperationRequest,
  spliceTopLevel,
  type Turn,
  writeInSteps,
} from '@model-gateway/canonical';
import type { EncodeInput } from './dialect.ts';

/** The client's own text, with the upstream's model and without the fields that the model does not take. */
export function ownText({ text, model, drop }: EncodeInput<OperationRequest>): Buffer {
  const edits = new Map<string, Edit>(drop.map(field => [field, null]));
  edits.set('model', JSON.stringify(model));
  return spliceTopLevel(text ?? Buffer.from('{}'), edits);
}

/** A body that was written for an upstream, without the fields that the model does not take. */
export function writtenBody(
  { drop }: Pick<EncodeInput<OperationRequest>, 'drop'>,
  body: Record<string, unknown>,
): JsonBody {
  const dropped = Object.fromEntries(Object.entries(body).filter(([field]) => !drop.includes(field)));
  return new JsonBody(dropped);
}

/** A body that is JSON once it is sent: it may be so large that it has to be written in steps. */
export class JsonBody {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  /** The bytes, written at once. */
  bytes(): Buffer {
    return Buffer.from(this.toString());
  }

  /** The same bytes, written in steps. */
  async bytesInSteps(turn: Turn): Promise<Buffer> {
    const pieces = await writeInSteps(this.#value, turn);
    if (pieces.length === 1) return pieces[0] as Buffer;
    await turn();
    return Buffer.concat(pieces);
  }

  toString(): string {
    return JSON.stringify(this.#value);
  }
}
