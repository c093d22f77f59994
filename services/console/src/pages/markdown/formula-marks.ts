const codeFence = /^ {0,3}(```|~~~)/;
const wholeLine = /^ *\$\$([^$\n]+)\$\$ *$/gm;
const marks =
  /(`+)[^`][\s\S]*?\1|\$\$[\s\S]*?\$\$|\\\([\s\S]{1,5000}?\\\)|\\\[[\s\S]{1,5000}?\\\]|\\\$|\$(?=\S)(?:[^$\n]*[^\s$])\$(?!\d)|\$/g;

/**
 * Returns a block of Markdown with its formulas between dollars, as the parser knows them: models also write `\(…\)` and `\[…\]`. A
 * dollar that opens no formula, as in prices, becomes a plain one.
 */
export function withFormulaMarks(block: string): string {
  if (codeFence.test(block)) return block;
  return block
    .replace(wholeLine, (_, tex: string) => `$$\n${tex}\n$$`)
    .replace(marks, mark => {
      if (mark === '$') return '\\$';
      if (mark.startsWith('\\(')) return `$${mark.slice(2, -2).trim()}$`;
      if (mark.startsWith('\\[')) return `\n$$\n${mark.slice(2, -2).trim()}\n$$\n`;
      return mark;
    });
}
