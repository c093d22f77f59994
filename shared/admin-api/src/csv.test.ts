import { expect, test } from 'vitest';
import { csvLine } from './csv.ts';

test('a line has its cells between commas, quoted where they need it', () => {
  expect(csvLine(['a', 1.5, -2, true, null, undefined, 'b,"c"\nd', 'e;f'])).toBe(
    'a,1.5,-2,true,,,"b,""c""\nd","e;f"\r\n',
  );
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-x', "'-x"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
  ['\t=1', `"'\t'=1"`],
  ['\r=1', `"'\r'=1"`],
  ['\n=1', `"'\n'=1"`],
  ['\nplain', `"'\nplain"`],
  ['  =1', "  '=1"],
  ['\u200b=1', "\u200b'=1"],
  ['a;=1', `"a;'=1"`],
  ['a; =1', `"a; '=1"`],
  ['a";=1', `"a"";'=1"`],
  ['a;"=1', `"a;""'=1"`],
  ['a\t＝1', `"a\t'＝1"`],
  ['a\n-1', `"a\n'-1"`],
  ['a=1;b', '"a=1;b"'],
  ['1-2', '1-2'],
])('the text %j is written as %j, and is no formula', (text, written) => {
  expect(csvLine([text])).toBe(`${written}\r\n`);
});
