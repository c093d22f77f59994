import type { Item } from './item.ts';
import type { ResponseSettings } from './settings.ts';

/** How many characters of ordinary text make a token, on average; and what an image may be worth. */
const charactersPerToken = 4;
const imageTokens = 1_000;
/** What an answer is thought to need, where nothing says how much it may. */
const answerTokens = 4_096;

/** The latest items that fit into a model's context, as the session's `truncation` has it; all where the context is unknown. */
export function itemsThatFit(
  items: readonly Item[],
  { truncation, instructions, max_output_tokens }: ResponseSettings,
  context: number | undefined,
): readonly Item[] {
  if (context === undefined || truncation === 'disabled') return items;
  const answer = max_output_tokens === 'inf' ? Math.min(answerTokens, context / 2) : max_output_tokens;
  const limited = typeof truncation === 'object' ? truncation.token_limits?.post_instructions : undefined;
  const room = Math.min(
    context - answer - instructions.length / charactersPerToken,
    limited ?? Number.POSITIVE_INFINITY,
  );
  const sizes = items.map(tokensOf);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= room) return items;
  let over = all - room * (typeof truncation === 'object' ? truncation.retention_ratio : 1);
  // The last item is what is to be answered.
  const from = sizes.slice(0, -1).findIndex(size => {
    if (over <= 0) return true;
    over -= size;
    return false;
  });
  return items.slice(from < 0 ? -1 : from);
}

function tokensOf({ object }: Item): number {
  if (object.type !== 'message') return JSON.stringify(object).length / charactersPerToken;
  return object.content.reduce((sum, part) => {
    if (part.type === 'input_image') return sum + imageTokens;
    const text = 'text' in part ? part.text : part.transcript;
    return sum + (text?.length ?? 0) / charactersPerToken;
  }, 4);
}
