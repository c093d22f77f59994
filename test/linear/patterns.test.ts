import { expect, test } from 'vitest';
import { productSources } from '../architecture/sources.ts';
import { attackTexts } from './attack-texts.ts';
import { faultOf } from './cost.ts';

/** A regular expression in a source, after what may stand before one. */
const literal =
  /(?<=[(,=:[!&|?{};]\s*|\breturn )\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g;

/** Patterns that read texts of a bounded length alone, by what bounds them. */
const bounded: Record<string, RegExp> = {
  'the length of a model’s name':
    /gemma|learnlm|gemini-(?:1|2\.0|pro(?:-vision)?$)|gemini-2\.5.*-(?:image|tts|audio)/,
  'the length of the sentence of a problem': /[.\s]+$/,
  'the pattern of a duration, which is checked before': /[a-z]+$/,
};
const isBounded = ({ source }: RegExp) => Object.values(bounded).some(pattern => pattern.source === source);

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

test.each(found.filter(([, pattern]) => !isBounded(pattern)))(
  '%s: %s reads a text once',
  (_path, pattern) => {
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
  },
);
