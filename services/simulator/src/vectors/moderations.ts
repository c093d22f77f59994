import { z } from 'zod';
import { openai } from '../chat/format.ts';
import { immediate, type Outcome } from '../common/delivery.ts';
import { validated } from '../common/openai-error.ts';
import type { Api } from '../common/routes.ts';
import { type Mark, withMark } from '../common/stream-faults.ts';

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({ type: z.literal('image_url'), image_url: z.strictObject({ url: z.string().min(1) }) }),
]);
const moderationsRequest = z.strictObject({
  model: z.string().default('omni-moderation-latest'),
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(part).min(1)]),
});
type ParsedModerations = z.infer<typeof moderationsRequest>;

/** Words by the category that they are flagged for. */
const words: Readonly<Record<string, RegExp>> = {
  harassment: /\bidiots?\b/i,
  'harassment/threatening': /(?!)/,
  hate: /\bhate\b/i,
  'hate/threatening': /(?!)/,
  illicit: /\bsteal\b/i,
  'illicit/violent': /(?!)/,
  'self-harm': /(?!)/,
  'self-harm/instructions': /(?!)/,
  'self-harm/intent': /(?!)/,
  sexual: /(?!)/,
  'sexual/minors': /(?!)/,
  violence: /\bkill\b/i,
  'violence/graphic': /(?!)/,
};

type Parts = z.infer<typeof part>[];

/** Texts and images of one list are one input. */
function inputsOf(input: ParsedModerations['input']): Parts[] {
  const list = Array.isArray(input) ? input : [input];
  const texts = list.filter(each => typeof each === 'string');
  return texts.length > 0 ? texts.map(text => [{ type: 'text', text }]) : [list as Parts];
}

function resultOf(parts: Parts): object {
  const text = parts.flatMap(each => (each.type === 'text' ? [each.text] : [])).join('\n');
  const types = [...new Set(parts.map(({ type }) => (type === 'text' ? 'text' : 'image')))];
  const found = Object.entries(words).map(([category, pattern]) => [category, pattern.test(text)] as const);
  return {
    flagged: found.some(([, flagged]) => flagged),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(
      found.map(([category, flagged]) => [category, flagged ? 0.98 : 0.0001]),
    ),
    category_applied_input_types: Object.fromEntries(found.map(([category]) => [category, types])),
  };
}

function answer({ model, input }: ParsedModerations, mark?: Mark): Outcome {
  const results = inputsOf(input).map(resultOf);
  return immediate(model, { id: withMark('modr-5e1f0c2a', mark), model, results });
}

/** Moderations as in OpenAI's API, which reports no usage. A few words are flagged. */
export const moderations: Api<ParsedModerations> = {
  format: openai,
  parse: body => validated(moderationsRequest, body),
  answer,
};
