import type { TokenCheck } from './check-token.ts';

/** The models that a token may use: those with a name of their own, and patterns that hold a `*`. */
export interface ModelNames {
  names: string[];
  patterns: string[];
  /** Whether models may exist that are not among these, as when patterns are not told. */
  open: boolean;
}

export const noModels: ModelNames = { names: [], patterns: [], open: false };

export function modelNames(check: TokenCheck | undefined): ModelNames {
  if (check?.state === 'accepted') return { names: check.models, patterns: [], open: true };
  if (check?.state !== 'known') return noModels;
  const all = check.token.models
    .filter(({ operations }) => operations.includes('generate'))
    .map(({ name }) => name);
  const isPattern = (name: string) => name.includes('*');
  return { names: all.filter(name => !isPattern(name)), patterns: all.filter(isPattern), open: false };
}

/** Whether a request for this name would find a model. */
export function isUsable(name: string, { names, patterns, open }: ModelNames): boolean {
  if (name === '' || name.includes('*')) return false;
  return open || names.includes(name) || patterns.some(pattern => matches(name, pattern));
}

/** A `*` stands for at least one character. */
function matches(name: string, pattern: string): boolean {
  const [before = '', after = ''] = pattern.split('*');
  return name.length > before.length + after.length && name.startsWith(before) && name.endsWith(after);
}
