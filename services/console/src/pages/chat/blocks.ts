/** A stretch of an answer: prose, or what stands between fences. */
export interface Block {
  kind: 'prose' | 'code';
  /** Where it begins in the answer. */
  at: number;
  text: string;
  /** What the opening fence says of the code. */
  language: string;
}

/** A fence that is still open at the end, as in an answer that is being written, holds all that follows. */
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
