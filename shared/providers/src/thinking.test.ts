import { efforts } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { providerProfiles, thinkingControl } from './index.ts';

const controls = Object.entries(providerProfiles).flatMap(([kind, { differences = {} }]) =>
  Object.entries(differences).flatMap(([format, { thinking = [] }]) =>
    thinking.map((control, at) => ({ kind, format, control, isLast: at === thinking.length - 1 })),
  ),
);

test.each(controls)(
  'the control of $kind in $format has a source, and can be reached',
  ({ control, isLast }) => {
    expect(control.source).toMatch(/^https:\/\//);
    expect(control.seen).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/);
    // A row for all models hides those after it.
    expect(control.models !== undefined || isLast).toBe(true);
    const order = control.levels.map(level => efforts.indexOf(level));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    // Turning thinking off is no level among others.
    expect(control.levels).not.toContain('none');
  },
);

test('a model has the first row that fits', () => {
  const [first, last] = [{ models: /^a/ }, {}].map(models => ({
    ...{ ...models, off: null, levels: [], source: 'https://x.example', seen: '2026-11' },
  })) as never[];
  const differences = { thinking: [first, last] as never[] };
  expect(thinkingControl(differences, 'ab')).toBe(first);
  expect(thinkingControl(differences, 'ba')).toBe(last);
  expect(thinkingControl({ thinking: [first] as never[] }, 'ba')).toBeUndefined();
  expect(thinkingControl({}, 'ab')).toBeUndefined();
  expect(thinkingControl(undefined, 'ab')).toBeUndefined();
});
