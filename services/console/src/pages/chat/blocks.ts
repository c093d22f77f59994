/** A part of an answer: prose, or a fenced code block. */
export interface Block {
  kind: 'prose' | 'code';
  /** The offset in the answer, in UTF-16 units. */
  at: number;
  text: string;
  /** The info string of the opening fence; empty for prose. */
  language: string;
}

/** Matches a fenced code block. A fence that is not closed, as in an unfinished answer, contains the rest of the text. */
const fence = /^ {0,3}(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)(?:^ {0,3}\1[`~]*[ \t]*$\n?|(?![\s\S]))/gm;

export function blocksOf(answer: string): Block[] {
  const blocks: Block[] = [];
  let end = 0;
  const prose = (upTo: number) => {
    const text = answer.slice(end, upTo);
    if (text.trim()) blocks.push({ kind: 'prose', at: end, text: trimLines(text), language: '' });
  };
  for (const { index, 0: whole, 2: language = '', 3: text = '' } of answer.matchAll(fence)) {
    prose(index);
    blocks.push({ kind: 'code', at: index, text: text.replace(/\n$/, ''), language: language.trim() });
    end = index + whole.length;
  }
  prose(answer.length);
  return blocks;
}

function trimLines(text: string): string {
  return text.replace(/^\n+|\s+$/g, '');
}
