import { withFiles } from './files.ts';
import { go as notation } from './literal.ts';
import type { Code, CodeRequest } from './request.ts';

/** The parts of a Go program. */
export interface Program {
  /** Import paths; those of the standard library have no dot. */
  imports: string[];
  /** The lines of main, indented by one tab. */
  main: string;
  /** The functions after main. */
  functions?: string[];
  install?: string;
}

/** Joins the parts of a program. `files` are what it reads. */
export function program(
  { imports, main, functions = [], install }: Program,
  files: Code['files'] = [],
): Code {
  const all = [
    ...new Set([...imports, ...(files.length > 0 ? ['encoding/base64', 'log', 'os'] : [])]),
  ].sort();
  const group = (paths: string[]) => paths.map(path => `\t"${path}"\n`).join('');
  const isStandard = (path: string) => !path.includes('.');
  const groups = [all.filter(isStandard), all.filter(path => !isStandard(path))].filter(
    ({ length }) => length > 0,
  );
  const more = files.length > 0 ? [...functions, readFile] : functions;
  return {
    code: `package main

import (
${groups.map(group).join('\n')})

func main() {
${main}
}${more.map(text => `\n\n${text}`).join('')}`,
    install,
    files,
  };
}

/** Returns the body with calls of `base64File` in place of attachments. */
export function withGoFiles(body: CodeRequest['body']) {
  return withFiles(body, (name, before) => {
    const read = `base64File(${notation.text(name)})`;
    return before ? `${notation.text(before)} + ${read}` : read;
  });
}

const readFile = `func base64File(name string) string {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(data)
}`;

/** The lines that end the program if there is an error. */
export const orFail = `	if err != nil {
		log.Fatal(err)
	}`;
