import type { Plugin } from 'vite';

const text = /('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/.source;
const described = new RegExp(`\\.check\\(\\s*z\\.describe\\(\\s*${text},?\\s*\\),?\\s*\\)`, 'g');

/** Leaves the sentences that document the API's schemas out of the pages, which show none of them. */
export function withoutTexts(): Plugin {
  return {
    name: 'without-texts',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/shared\/admin-api\/src\// },
      handler: code => ({ code: code.replace(described, ''), map: null }),
    },
  };
}
