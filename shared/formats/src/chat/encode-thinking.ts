import { isDeepStrictEqual } from 'node:util';
import type { Reasoning } from '@model-gateway/canonical';
import { type Edit, topLevelSpans } from '@model-gateway/json';
import { type ThinkingControl, thinkingControl } from '@model-gateway/providers';
import type { CanonicalInput, VerbatimInput } from '../upstream/dialect.ts';
import { sentThinking } from '../upstream/effort.ts';
import { membersOf } from '../upstream/request-body.ts';
import { effortWish, type ThinkingWish, thinkingFields, thinkingWish } from './thinking.ts';

type Fields = Readonly<Record<string, unknown>>;
type Turns = ThinkingControl['reasonedTurns'];

/** Returns the fields about thinking of a translated request. */
export function encodeThinking({ request, model, differences }: CanonicalInput): Fields {
  if (!request.reasoning) return {};
  const own: Fields = request.extensions?.chat ?? {};
  const { show: _, ...wish } = request.reasoning;
  const control = thinkingControl(differences, model);
  // A server without a control is told in the client's own fields.
  if (!control && isDeepStrictEqual(thinkingWish(own), wish)) return {};
  const { level, fields = {} } = sentThinking(wish, control);
  return { reasoning_effort: level, ...merged(fields, own, turnsOff(wish)) };
}

/** Returns the turns of a translated request that must have reasoning: none if thinking is off. */
export function reasonedTurns({ request, model, differences }: CanonicalInput): Turns {
  return turnsOf(thinkingControl(differences, model), request.reasoning);
}

function turnsOf(control: ThinkingControl | undefined, wish: Reasoning | undefined): Turns {
  return wish && turnsOff(wish) && control?.off !== null ? undefined : control?.reasonedTurns;
}

function turnsOff({ effort, budget }: Reasoning): boolean {
  return effort === 'none' || (!effort && budget === 0);
}

/** The edits of a client's own JSON, and the turns of its history that must have reasoning. */
export interface ThinkingEdits {
  edits: ReadonlyMap<string, Edit>;
  turns: Turns;
}

const unedited: ThinkingEdits = { edits: new Map(), turns: undefined };

/**
 * Returns the edits that say a client's wish in the fields of the upstream. A level that the upstream has a field for stays as it is,
 * known or not: the upstream decides.
 */
export function thinkingEdits({ text, model, original, differences }: VerbatimInput): ThinkingEdits {
  const control = original ? undefined : thinkingControl(differences, model);
  if (!control) return unedited;
  const own = ownFields(text);
  const wish = thinkingWish(own);
  const edits = wish ? editsOf(own, wish, control) : unedited.edits;
  return { edits, turns: turnsOf(control, wish) };
}

/** Returns the fields about thinking that a client's JSON has. */
function ownFields(text: Buffer): Record<string, unknown> {
  const names: readonly string[] = thinkingFields.filter(name => text.includes(`"${name}"`));
  if (names.length === 0) return {};
  const spans = topLevelSpans(text.toString('latin1')).filter(({ key }) => names.includes(key));
  return Object.fromEntries(
    spans.map(({ key, valueStart, valueEnd }) => [
      key,
      JSON.parse(text.toString('utf8', valueStart, valueEnd)),
    ]),
  );
}

function editsOf(own: Fields, wish: ThinkingWish, control: ThinkingControl): Map<string, Edit> {
  const { reasoning_effort: level, ...others } = own;
  const isOff = wish.effort === 'none';
  // Thinking that is on in another field than the level is said in the client's own words.
  if (!isOff && !effortWish(level)?.effort) return new Map();
  const { level: sent, fields = {} } = sentThinking(wish, control);
  const replaced = isOff || (sent === undefined && Object.keys(fields).length > 0);
  const all: Fields = { reasoning_effort: replaced ? sent : level, ...merged(fields, others, isOff) };
  const changed = Object.entries(all).filter(([field, value]) => !isDeepStrictEqual(value, own[field]));
  return new Map(
    changed.map(([field, value]): [string, Edit] => [
      field,
      value === undefined ? null : JSON.stringify(value),
    ]),
  );
}

/** Returns fields with the members of the client's own objects, which count more unless thinking is turned off. */
function merged(fields: Fields, own: Fields, isOff: boolean): Fields {
  const entries = Object.entries(fields).map(([field, value]) => {
    const given = own[field];
    if (typeof given !== 'object' || given === null) return [field, isOff ? value : (given ?? value)];
    return [field, isOff ? { ...given, ...membersOf(value) } : { ...membersOf(value), ...given }];
  });
  return Object.fromEntries(entries);
}
