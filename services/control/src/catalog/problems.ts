import { checkRules } from '@model-gateway/catalog';
import type { Entries } from './entries.ts';

/** A problem of an entry in force, such as a target whose provider has left gateway.yaml. */
export interface EntryProblem {
  kind: 'provider' | 'model';
  name: string;
  /** The path of the field and the reason. */
  text: string;
}

const place = /^(provider|model)s\[(\d+)\]\.?/;

/** Finds the problems between the entries in force. */
export function entryProblems({ providers, models }: Entries): EntryProblem[] {
  const input = { providers: providers.map(({ data }) => data), models: models.map(({ data }) => data) };
  return checkRules(input).flatMap(({ path, reason }) => {
    const [prefix, kind, at] = place.exec(path) ?? [];
    const list = kind === 'provider' ? providers : models;
    const entry = list[Number(at)];
    if (!entry || prefix === undefined) return [];
    const text = `${path.slice(prefix.length)}: ${reason}`;
    return { kind: kind as EntryProblem['kind'], name: entry.name, text };
  });
}
