import { type Parsed, parseCatalog } from '@model-gateway/catalog';
import { LineCounter, parseDocument } from 'yaml';

/** Reads the text of gateway.yaml; where it is no YAML at all, the problems' paths are lines and columns. */
export function parseCatalogueText(text: string): Parsed {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  if (document.errors.length === 0) return parseValue(() => document.toJS());
  return {
    problems: document.errors.map(({ pos, message }) => {
      const { line, col } = lineCounter.linePos(pos[0]);
      return { path: `line ${line}, column ${col}`, reason: withoutText(message) };
    }),
  };
}

/** An alias without its anchor, or a thousand of them, shows only when the value is made. */
function parseValue(read: () => unknown): Parsed {
  let value: unknown;
  try {
    value = read();
  } catch (error) {
    return { problems: [{ path: '', reason: withoutText(error instanceof Error ? error.message : '') }] };
  }
  return parseCatalog(value);
}

/** The parser quotes what it stumbled over, which may be a secret. */
function withoutText(message: string): string {
  return `is not YAML: ${message.replace(/["'`:].*$/s, '').trim()}`;
}
