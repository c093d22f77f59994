import type { Problem } from '@model-gateway/catalog';
import { LineCounter, parseDocument } from 'yaml';

/** Reads YAML, of which JSON is a part. Problems have lines and columns as their paths, and repeat no text, which may be a secret. */
export function readYaml(text: string): { value: unknown; problems?: never } | { problems: Problem[] } {
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
    return { value: document.toJS() };
  } catch (error) {
    return {
      problems: [{ path: '', reason: withoutQuotedText(error instanceof Error ? error.message : '') }],
    };
  }
}

/** Removes the text that the parser quotes. */
function withoutQuotedText(message: string): string {
  return `is not YAML: ${message.replace(/["'`:].*$/s, '').trim()}`;
}
