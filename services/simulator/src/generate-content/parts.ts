import type { GoogleAnswerPart } from '@model-gateway/wire';
import { type Call, joined, type Step, type Thought } from '../mind/answer.ts';
import { isSchema } from '../mind/json/schema.ts';
import type { GenerateAsked } from './parse.ts';
import { sign } from './signature.ts';

/** The parts of a whole answer: what was thought, if that is shown, the text, the image, the calls. */
export function partsOf(whole: Thought, asked: GenerateAsked): GoogleAnswerPart[] {
  const { steps } = whole;
  const { prompt, showsThoughts } = asked;
  const thought = showsThoughts ? joined(steps, 'reasoning') : '';
  const text = hasWords(asked) ? joined(steps, 'text') : '';
  const calls = steps.flatMap(step => (step.kind === 'call' ? [step.call] : []));
  return [
    ...(thought ? [{ text: thought, thought: true as const }] : []),
    ...(text ? [{ text, ...(prompt.effort && { thoughtSignature: sign() }) }] : []),
    ...picturePart(whole, asked),
    ...calls.flatMap(call => callPart(call, steps) ?? []),
  ];
}

/** Whether an answer is in words; else it is an image alone. */
export function hasWords({ picture }: GenerateAsked): boolean {
  return picture?.words ?? true;
}

/** The image of an answer, if one was asked for and nothing is in its way. */
export function picturePart({ finish }: Thought, { picture }: GenerateAsked): GoogleAnswerPart[] {
  if (!picture?.data || finish !== 'stop') return [];
  return [{ inlineData: { mimeType: 'image/png', data: picture.data } }];
}

/** A call, of which the first of an answer is signed; one that was cut short has no place in this format. */
export function callPart(call: Call, steps: readonly Step[]): GoogleAnswerPart | null {
  let input = '';
  for (const step of steps) if (step.kind === 'input' && step.call === call) input += step.text;
  const args = readArgs(input);
  if (!args) return null;
  const functionCall = { id: `call_${call.id}`, name: call.name, args };
  return { functionCall, ...(call.index === 0 && { thoughtSignature: sign(functionCall) }) };
}

function readArgs(input: string): Record<string, unknown> | null {
  try {
    const args: unknown = JSON.parse(input);
    return isSchema(args) ? args : null;
  } catch {
    return null;
  }
}
