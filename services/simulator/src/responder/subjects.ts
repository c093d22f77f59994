/** Quoted words, names and numbers in a text. */
export interface Subjects {
  things: string[];
  numbers: number[];
  /** Names joined by "and", as in "Oslo, Rome and Paris"; empty if there are less than two. */
  list: string[];
}

const capital = "\\p{Lu}[\\p{L}\\p{N}'’-]*";
const name = `${capital}(?: ${capital})*`;
const quoted = '"[^"\\n]{1,80}"|“[^”\\n]{1,80}”';
const thing = `${quoted}|${name}`;
const things = new RegExp(thing, 'gu');
const lists = new RegExp(`(?:${thing})(?:, (?:${thing}))*,? and (?:${thing})`, 'u');
/** The capital of a sentence's first word, unless a list follows. */
const opening = new RegExp(`(?<=^|[.!?:]\\s+)\\p{Lu}(?=[\\p{L}'’]*\\s+(?!and ${capital})\\S)`, 'gu');
const fromPreposition = /\b(?:in|for|at|of|about|near|to)\s+(?:the\s+|an?\s+)?([\p{L}\p{N}-]+)/iu;
const questionWords = /^(?:I|What|Who|Where|When|Why|How|Hi|Hello|Please|Thanks)$/;

export function subjectsOf(text: string): Subjects {
  const plain = text.replace(opening, letter => letter.toLowerCase());
  const found = namesIn(plain);
  const [, after] = fromPreposition.exec(plain) ?? [];
  const joined = lists.exec(plain)?.[0];
  return {
    things: found.length > 0 || !after ? found : [after],
    numbers: (plain.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number),
    list: joined ? namesIn(joined) : [],
  };
}

function namesIn(text: string): string[] {
  const names = (text.match(things) ?? []).map(found => found.replace(/^["“]|["”]$/g, ''));
  return names.filter(found => !questionWords.test(found));
}
