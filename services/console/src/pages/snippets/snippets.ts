import { curl } from './curl.ts';
import { go } from './go.ts';
import { python } from './python.ts';
import type { Code, CodeRequest, Language } from './request.ts';
import { typescript } from './typescript.ts';

const writers: Record<Language, (request: CodeRequest) => Code> = { curl, python, typescript, go };

export const languageLabels: Record<Language, string> = {
  curl: 'curl',
  python: 'Python',
  typescript: 'TypeScript',
  go: 'Go',
};

/** Writes a program that makes a request and prints its answer. It reads the secret of the token from an environment variable. */
export function codeFor(language: Language, request: CodeRequest): Code {
  return writers[language](request);
}
