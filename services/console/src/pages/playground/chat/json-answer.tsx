import { HighlightedCode } from '../../markdown/markdown.tsx';
import type { Answer } from '../conversation/turn.ts';
import classes from './answer-view.module.css';
import { Reasoning } from './reasoning.tsx';

/** An answer that had to be JSON: formatted, and whether it can be parsed. */
export function JsonAnswer({ answer, text }: { answer: Answer; text: string }) {
  const formatted = format(text);
  return (
    <>
      {answer.parts.map((part, place) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: the answer is complete
        part.type === 'reasoning' ? <Reasoning key={place} text={part.text} thinking={false} /> : null,
      )}
      <HighlightedCode
        code={formatted ?? text}
        language={formatted === undefined ? 'text' : 'json'}
        label={formatted === undefined ? 'Not JSON' : 'JSON'}
      />
      <p className={classes.note}>
        {formatted === undefined ? 'The answer cannot be parsed as JSON.' : 'The answer is valid JSON.'}
      </p>
    </>
  );
}

const longestPlain = 100_000;

function format(text: string): string | undefined {
  try {
    const formatted = JSON.stringify(JSON.parse(text), undefined, 2);
    // The lines of JSON that nests deep are mostly blanks.
    return formatted.length <= 4 * text.length + longestPlain ? formatted : text;
  } catch {
    return undefined;
  }
}
