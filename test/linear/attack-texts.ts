/** A part of a regular expression. */
type Node =
  | { type: 'text'; text: string }
  | { type: 'class'; source: string }
  | { type: 'group'; alternatives: Item[][] }
  | { type: 'nothing' };

interface Item {
  node: Node;
  least: number;
  /** True if it may repeat without end. */
  endless: boolean;
}

/** Characters of which one is taken for a class. */
const candidates = [...'aA0-_. :/\n@=+,;"\'<>{}()[]*%?!#$&|~\u00e9\u2026'];

/** Returns texts that make a search long if a pattern looks at the same characters again and again. */
export function attackTexts(pattern: RegExp): ((n: number) => string)[] {
  const { source, flags } = pattern;
  const reader = new Reader(source);
  const found = new Set<string>();
  const one = flags.replace(/[gy]/g, '');
  for (const [prefix, pump] of pumps(reader.alternatives(), '', one)) found.add(`${prefix}\0${pump}`);
  return [...found].flatMap(each => {
    const [prefix = '', pump = ''] = each.split('\0');
    const unit = prefix + pump;
    if (pump === '') return [];
    return [
      (n: number) => unit.repeat(Math.ceil(n / unit.length)),
      // A word may begin behind it, which is part of many runs.
      (n: number) => `-${unit}`.repeat(Math.ceil(n / (unit.length + 1))),
      (n: number) => `${prefix}${pump.repeat(Math.ceil(n / pump.length))}\u0001`,
      (n: number) => `${pump.repeat(Math.ceil(n / pump.length))}\u0001`,
    ];
  });
}

/** Yields what comes before each part that repeats without end, and what may be repeated. */
function* pumps(alternatives: Item[][], before: string, flags: string): Generator<[string, string]> {
  for (const items of alternatives) {
    let prefix = before;
    for (const { node, least, endless } of items) {
      if (endless) {
        yield [prefix, sampleOf(node, flags)];
        // What came before may itself be what repeats, and then a search begins again within it.
        if (node.type === 'class' && prefix !== '' && matches(`(?:${node.source})+`, prefix, flags))
          yield [prefix, prefix];
      }
      if (node.type === 'group') yield* pumps(node.alternatives, prefix, flags);
      prefix += sampleOf(node, flags).repeat(Math.max(least, endless ? 1 : 0));
    }
  }
}

function sampleOf(node: Node, flags: string): string {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'class':
      return candidates.find(character => matches(node.source, character, flags)) ?? '';
    case 'group':
      return (node.alternatives[0] ?? [])
        .map(item => sampleOf(item.node, flags).repeat(Math.max(1, item.least)))
        .join('');
    case 'nothing':
      return '';
  }
}

function matches(source: string, text: string, flags: string): boolean {
  return new RegExp(`^(?:${source})$`, flags).test(text);
}

/** Reads the source of a regular expression. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): Item[][] {
    const all: Item[][] = [[]];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      if (this.#source[this.#at] === '|') {
        this.#at++;
        all.push([]);
      } else all.at(-1)?.push(this.#item());
    }
    return all;
  }

  #item(): Item {
    const node = this.#node();
    const [quantifier = '', star, plus, optional, least, comma, most] =
      /^(?:(\*)|(\+)|(\?)|\{(\d+)(,?)(\d*)\})/.exec(this.#source.slice(this.#at)) ?? [];
    this.#at += quantifier.length;
    if (quantifier !== '' && this.#source[this.#at] === '?') this.#at++;
    const endless = Boolean(star || plus || (comma && !most));
    return { node, endless, least: star || optional ? 0 : Number(least ?? 1) };
  }

  #node(): Node {
    const rest = this.#source.slice(this.#at);
    const [opening] = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest) ?? [];
    if (opening !== undefined) return this.#group(opening);
    const [taken = ''] =
      /^(?:\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u[0-9a-f]{4}|\\[1-9]|\\.|.)/isu.exec(rest) ?? [];
    this.#at += taken.length;
    if (taken === '^' || taken === '$' || /^\\[bB1-9]$/.test(taken)) return { type: 'nothing' };
    const isClass = taken === '.' || taken.startsWith('[') || /^\\[wWdDsSpP]/.test(taken);
    return isClass ? { type: 'class', source: taken } : { type: 'text', text: unescaped(taken) };
  }

  #group(opening: string): Node {
    this.#at += opening.length;
    const alternatives = this.alternatives();
    this.#at++;
    return opening === '(?!' || opening === '(?<!' ? { type: 'nothing' } : { type: 'group', alternatives };
  }
}

function unescaped(taken: string): string {
  const escapes: Record<string, string> = { '\\n': '\n', '\\r': '\r', '\\t': '\t' };
  if (taken.startsWith('\\u')) return String.fromCharCode(Number.parseInt(taken.slice(2), 16));
  return escapes[taken] ?? taken.replace(/^\\/, '');
}
