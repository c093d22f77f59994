import { compilePattern, type Logging } from '@model-gateway/catalog';
import { type JsonScalar, joinScalars, splitScalars, type Turn } from '@model-gateway/json';
import { omitData } from './base64.ts';
import { kinds, markOf, type Redact, secretName, secrets } from './kinds.ts';

/** Members that hold pieces of the answer's text, in which redaction would find nothing. */
const inPieces: ReadonlySet<string> = new Set(['logprobs', 'logprobsResult', 'top_logprobs', 'topLogprobs']);

/** Replaces what a project redacts, in texts of its requests and answers. Secrets are always replaced. */
export class Redactor {
  readonly #steps: readonly Redact[];

  /** @throws Error if a regular expression is invalid */
  constructor({ redact = [] }: Logging) {
    const own = redact.map((redaction): Redact => {
      if (typeof redaction === 'string') return kinds[redaction];
      const pattern = compilePattern(redaction.pattern);
      return text => pattern.matcher(text).replaceAll(() => markOf(redaction.name));
    });
    this.#steps = [omitData, ...secrets, ...own];
  }

  /** `secret` is a further text to replace. `turn` separates the steps of work on a large text. */
  async redact(text: string, isJson: boolean, turn: Turn, secret?: string): Promise<string> {
    const mark = markOf('secret');
    const known: Redact[] = secret ? [piece => piece.replaceAll(secret, mark)] : [];
    const steps = [...known, ...this.#steps];
    if (!isJson) return run(steps, [{ raw: text, value: text }], turn).then(([only]) => only?.value ?? '');
    const pieces = splitScalars(text, inPieces);
    const scalars = pieces.filter(piece => typeof piece !== 'string');
    const original = scalars.map(({ value }) => value);
    for (const scalar of scalars) if (scalar.name && secretName.test(scalar.name)) scalar.value = mark;
    await run(steps, scalars, turn);
    return joinScalars(pieces, original);
  }
}

async function run(steps: readonly Redact[], scalars: JsonScalar[], turn: Turn): Promise<JsonScalar[]> {
  for (const step of steps) {
    for (const scalar of scalars) scalar.value = step(scalar.value);
    await turn();
  }
  return scalars;
}
