/** The output of a request that sets no maximum of it. */
export const unstated = Number.POSITIVE_INFINITY;

/** The most output tokens of an answer, and of an image, of a model whose maximum is unknown. */
export const unknownMost = { answer: 32_768, image: 8_192 };
/** The most output tokens of an answer of such a model, whatever maximum a request sets. */
const mostStated = 1_000_000;

/** The facts that the output of a request is bounded by. */
interface Bounded {
  operation: string;
  quantities: { output: number };
  choices?: number | undefined;
}

/** Returns the most output tokens of a request at a model: as many as it asks for, and no more than the model writes. */
export function mostOutput(
  { operation, quantities: { output }, choices = 1 }: Bounded,
  { maxOutput }: { maxOutput?: number | undefined },
): number {
  const unknown = operation === 'image' ? unknownMost.image : unknownMost.answer;
  return Math.min(output, choices * (maxOutput ?? (output === unstated ? unknown : mostStated)));
}
