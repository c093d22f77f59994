import { expect, test } from 'vitest';
import { productSources } from '../architecture/sources.ts';
import { attackTexts } from './attack-texts.ts';
import { faultOf } from './cost.ts';

/** A regular expression in a source, after what may stand before one. */
const literal =
  /(?<=[(,=:[!&|?{};]\s*|\breturn )\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;

/** Regular expressions that read only texts whose length is bounded far below what is tried here, by their file. */
const bounded: Record<string, string> = {};

/** The code that reads what clients and upstreams send. */
const reads =
  /^(?:shared\/(?:canonical|ingress|json|sse|wire|providers|access|bus)|services\/(?:ingress-|realtime|worker)[^/]*)\/src\//;

function patternsIn(text: string): RegExp[] {
  return [...text.matchAll(literal)].flatMap(([, source = '', flags = '']) => {
    try {
      return [new RegExp(source, flags)];
    } catch {
      return [];
    }
  });
}

const found = productSources()
  .filter(({ path }) => reads.test(path) && !path.includes('/testing/'))
  .flatMap(({ path, text }) => patternsIn(text).map((pattern): [string, RegExp] => [path, pattern]));

test('patterns are found', () => {
  expect(found.length).toBeGreaterThan(100);
});

test.each(found.filter(([path]) => !(path in bounded)))('%s: %s reads a text once', (_path, pattern) => {
  const all = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
  const faults = attackTexts(pattern).flatMap(textOf => {
    const fault = faultOf(
      n => {
        const text = textOf(n);
        return () => text.replace(all, '');
      },
      { items: 20_000, bound: 20_000 },
    );
    return fault ? [`${JSON.stringify(textOf(20))}: ${fault}`] : [];
  });
  expect(faults).toEqual([]);
});
