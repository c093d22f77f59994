import type { Reasoning } from '@model-gateway/canonical';
import { type Edit, memberText } from '@model-gateway/json';
import { thinkingControl } from '@model-gateway/providers';
import type { InputFacts, VerbatimInput } from '../upstream/dialect.ts';
import { sentThinking } from '../upstream/effort.ts';
import { membersOf } from '../upstream/request-body.ts';
import type { ResponsesRequestParams } from './request.ts';

/** Writes the reasoning settings. The vendor returns only a summary, and only on request. */
export function encodeThinking(
  wish: Reasoning | undefined,
  { model, differences }: Pick<InputFacts, 'model' | 'differences'>,
): Pick<ResponsesRequestParams, 'reasoning'> {
  if (!wish) return {};
  const { level, fields, never } = sentThinking(wish, thinkingControl(differences, model));
  if (never) return {};
  // Formats with a token budget return the reasoning by default.
  const { show = wish.budget !== undefined } = wish;
  const isOff = wish.effort === 'none' || wish.budget === 0;
  const summary = show && !isOff ? ('auto' as const) : undefined;
  return { ...fields, ...((level || summary) && { reasoning: { effort: level, summary } }) };
}

/** Returns the edits that turn thinking off at an upstream which has another way than the level `none`. */
export function thinkingEdits({ text, model, differences }: VerbatimInput): [string, Edit][] {
  const control = thinkingControl(differences, model);
  if (!control || control.off === 'none' || !text.includes('"none"')) return [];
  const reasoning = membersOf(JSON.parse(memberText(text, 'reasoning') ?? 'null'));
  if (reasoning.effort !== 'none') return [];
  const { level, fields = {} } = sentThinking({ effort: 'none' }, control);
  const rest = { ...reasoning, effort: level };
  const kept = Object.values(rest).some(value => value !== undefined && value !== null);
  const edited = kept ? JSON.stringify(rest) : null;
  const others = Object.entries(fields).map(([field, value]): [string, Edit] => [
    field,
    JSON.stringify(value),
  ]);
  return [['reasoning', edited], ...others];
}
