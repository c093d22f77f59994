import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** Compiles a regular expression in RE2's syntax: its time is linear in the text. @throws Error if it is invalid */
export function compilePattern(pattern: string): RE2JS {
  // Processes without such a pattern do not load the library.
  const library: typeof import('re2js') = createRequire(import.meta.url)('re2js');
  const compiled = library.RE2JS.compile(pattern);
  if (compiled.matcher('').find()) throw new Error('it matches an empty text');
  return compiled;
}

/** Returns why a regular expression cannot be used; undefined if it can. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return `is not a regular expression in RE2 syntax: ${error instanceof Error ? error.message : error}`;
  }
}
