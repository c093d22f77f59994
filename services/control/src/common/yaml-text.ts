import type { Problem } from '@model-gateway/catalog';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** The lines of the entries of each list of a mapping, from 1, by the list's name. */
export type EntryLines = ReadonlyMap<string, readonly (number | undefined)[]>;

interface Read {
  value: unknown;
  lines: EntryLines;
}

/** Reads YAML, of which JSON is a part. Problems have lines and columns as their paths, and repeat no text, which may be a secret. */
export function readYaml(text: string): (Read & { problems?: never }) | { problems: Problem[] } {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors.length > 0)
    return {
      problems: document.errors.map(({ pos, message }) => {
        const { line, col } = lineCounter.linePos(pos[0]);
        return { path: `line ${line}, column ${col}`, reason: withoutQuotedText(message) };
      }),
    };
  try {
    // It fails for an alias without its anchor, and for too many aliases.
    return { value: document.toJS(), lines: linesIn(document.contents, lineCounter) };
  } catch (error) {
    return {
      problems: [{ path: '', reason: withoutQuotedText(error instanceof Error ? error.message : '') }],
    };
  }
}

function linesIn(root: unknown, lineCounter: LineCounter): EntryLines {
  const lineOf = (node: unknown) =>
    isNode(node) && node.range ? lineCounter.linePos(node.range[0]).line : undefined;
  const pairs = isMap(root) ? root.items : [];
  return new Map(
    pairs.flatMap(({ key, value }) =>
      isScalar(key) && isSeq(value) ? [[String(key.value), value.items.map(lineOf)] as const] : [],
    ),
  );
}

/** Removes the text that the parser quotes. */
function withoutQuotedText(message: string): string {
  return `is not YAML: ${message.replace(/["'`:].*$/s, '').trim()}`;
}
