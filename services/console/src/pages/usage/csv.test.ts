import { expect, test } from 'vitest';
import { csvOf } from './csv.ts';

test('cells are quoted where they need it, and no text is a formula', () => {
  expect(
    csvOf([
      ['a', 1.5, null],
      ['b,"c"\n', '=1+1', '-x'],
    ]),
  ).toBe(`a,1.5,\r\n"b,""c""\n",'=1+1,'-x\r\n`);
});
