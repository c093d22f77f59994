const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^ {0,3}([-*+]|\d{1,9}[.)])\s/;
const indented = /^(\t| {2,})\S/;
const definition = /^ {0,3}\[[^\]]+\]:/m;

/**
 * Splits a text in Markdown at blank lines into blocks that can be rendered alone, so that only the last one changes while the text
 * grows. A list, a block of code and a formula each stay in one block. A text with definitions, which hold for all of it, is one block.
 */
export function splitBlocks(text: string): string[] {
  if (definition.test(text)) return [text];
  const blocks: string[] = [];
  let block: string[] = [];
  let closing: RegExp | undefined;
  let blank = false;
  for (const line of text.split('\n')) {
    if (!closing && blank && line.trim() !== '' && !continues(block, line)) {
      blocks.push(block.join('\n'));
      block = [];
    }
    block.push(line);
    blank = line.trim() === '';
    if (closing) closing = closing.test(line) ? undefined : closing;
    else closing = closingOf(line);
  }
  return [...blocks, block.join('\n')].filter(part => part.trim() !== '');
}

/** True if a line after a blank line belongs to the block: the next item of its list, or what is indented below one. */
function continues(block: readonly string[], line: string): boolean {
  if (!listItem.test(block[0] ?? '')) return false;
  return listItem.test(line) || indented.test(line);
}

/** Returns the pattern of the line that closes what a line opens. */
function closingOf(line: string): RegExp | undefined {
  const marks = fence.exec(line)?.[1];
  if (marks) return new RegExp(`^ {0,3}${marks[0]}{${marks.length},}\\s*$`);
  const formula = line.trim();
  if (formula.startsWith('\\[')) return formula.includes('\\]') ? undefined : /\\\]\s*$/;
  return formula.startsWith('$$') && formula.indexOf('$$', 2) < 0 ? /\$\$\s*$/ : undefined;
}
