import { endpointNames, type NewToken, type TokenChange, type TokenInfo } from '@model-gateway/admin-api';
import { type BudgetDraft, budgetOfDraft, draftOfBudget, noBudget } from '../settings-form/budget-draft.ts';
import { draftOfLimits, type LimitsDraft, limitsOfDraft, noLimits } from '../settings-form/limits-draft.ts';
import { draftOfTags, type TagsDraft, tagsOfDraft } from '../settings-form/tags-draft.ts';

/** A token in a form. */
export interface TokenDraft {
  name: string;
  project: string;
  /** Empty for none. */
  owner: string;
  /** A time in the browser's time zone as `datetime-local` has it, such as `2030-01-31T12:00`; empty for never. */
  expiresAt: string;
  models: string[] | null;
  endpoints: string[] | null;
  allowedAddresses: string[] | null;
  limits: LimitsDraft;
  budget: BudgetDraft;
  tags: TagsDraft;
}

export const emptyDraft: TokenDraft = {
  name: '',
  project: '',
  owner: '',
  expiresAt: '',
  models: null,
  endpoints: null,
  allowedAddresses: null,
  limits: noLimits,
  budget: noBudget,
  tags: [],
};

/** Returns the form's values for a token. */
export function draftOf(token: TokenInfo): TokenDraft {
  const { name, project, owner, expiresAt, models, endpoints, allowedAddresses, limits, budget, tags } =
    token;
  return {
    ...{ name, project, models, endpoints, allowedAddresses },
    owner: owner ?? '',
    expiresAt: expiresAt ? localTime(new Date(expiresAt)) : '',
    limits: draftOfLimits(limits),
    budget: draftOfBudget(budget),
    tags: draftOfTags(tags),
  };
}

/** Returns the body of a request for the token that a form describes. */
export function newTokenOf(draft: TokenDraft): NewToken {
  const { owner, expiresAt, models, allowedAddresses } = draft;
  return {
    name: draft.name.trim(),
    ...(draft.project.trim() && { project: draft.project.trim() }),
    owner: owner.trim() || null,
    expiresAt: expiresAt ? utcTime(expiresAt) : null,
    ...{ models, allowedAddresses },
    endpoints: draft.endpoints && endpointNames.filter(name => draft.endpoints?.includes(name)),
    limits: limitsOfDraft(draft.limits),
    budget: budgetOfDraft(draft.budget),
    tags: tagsOfDraft(draft.tags),
  };
}

/** Returns the fields that a form changes: what is as it was is not sent, so that it cannot undo the change of somebody else. */
export function changeOf(before: TokenDraft, after: TokenDraft): TokenChange {
  const old: Record<string, unknown> = newTokenOf(before);
  const changed = Object.entries(newTokenOf(after)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
  );
  return Object.fromEntries(changed);
}

/** Formats a time in the browser's time zone as a `datetime-local` field takes it. */
export function localTime(at: Date): string {
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Returns the RFC 3339 time that a field names, or what was typed if it is no time, so that the gateway can say so. */
function utcTime(local: string): string {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? local : at.toISOString();
}
