import { describe, expect, test } from 'vitest';
import { money, table } from './table.ts';

describe('a table', () => {
  test('aligns text to the left, and numbers and amounts to the right', () => {
    const rows = [
      ['NAME', 'REQUESTS', 'COST'],
      ['fast', 7, money(12.5)],
      ['slower', 12_345, money(0)],
      ['none', '-', '-'],
    ];
    expect(table(rows).split('\n')).toEqual([
      'NAME    REQUESTS  COST',
      'fast           7  12.5',
      'slower     12345     0',
      'none           -     -',
    ]);
  });

  test('fits the width of the terminal: the widest text is shortened, the first column and numbers are not', () => {
    const rows = [
      ['ID', 'NAME', 'MS', 'NOTE'],
      ['0123456789abcdef', 'a name that is long', 1_234_567, 'a note that is even longer'],
    ];
    const lines = table(rows, 55).split('\n');
    expect(lines[1]).toBe('0123456789abcdef  a name that …  1234567  a note that …');
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(55);
    expect(table(rows, 10)).toContain('0123456789abcdef');
  });

  test('has no control characters, which a terminal would obey', () => {
    expect(table([['NAME'], ['\u001b[2Jlab\u0007']])).toBe('NAME\n�[2Jlab�');
  });
});

test.each([
  [3.0089999999999995, '3.009'],
  [12.5, '12.5'],
  [100, '100'],
  [1_234_567.891_234, '1234567.8912'],
  [0.000_012_345, '0.0000123'],
  [0.000_000_000_3, '0.0000000003'],
  [0, '0'],
])('the amount %d is written as %s', (dollars, text) => {
  expect(money(dollars)).toEqual({ amount: text });
});
