import { useIntersection } from '@mantine/hooks';
import { useRef } from 'react';
import { HighlightedCode, Markdown } from '../../markdown/markdown.tsx';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import type { AnswerPart, ToolCallPart, ToolResultPart } from '../conversation/part.ts';
import type { Answer } from '../conversation/turn.ts';
import classes from './answer-view.module.css';

/** The reasoning before an answer, closed until it is wanted. */
export function Reasoning({ text, thinking }: { text: string; thinking: boolean }) {
  return (
    <details className={classes.reasoning}>
      <summary>{thinking ? 'Reasoning …' : 'Reasoning'}</summary>
      <p>{text || 'The provider does not show this reasoning.'}</p>
    </details>
  );
}

/** A text in Markdown that is plain until it is near the screen, so that a long conversation opens quickly. */
function SeenMarkdown({ text }: { text: string }) {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const seen = useRef(false);
  if (entry?.isIntersecting) seen.current = true;
  return (
    <div ref={ref}>{seen.current ? <Markdown text={text} /> : <p className={classes.prose}>{text}</p>}</div>
  );
}

/** A call of a tool, with its arguments as they stream. */
function ToolCallView({ call }: { call: ToolCallPart }) {
  return (
    <section className={classes.call} aria-label={`Call of ${call.name}`}>
      <header>
        <code>{call.name}</code> <span>called with</span>
      </header>
      <pre>{formatted(call.arguments) || '{}'}</pre>
    </section>
  );
}

/** A result that the user gave for a call. */
export function ToolResultView({ result }: { result: ToolResultPart }) {
  return (
    <section className={classes.call} aria-label={`Result of ${result.name}`}>
      <header>
        <code>{result.name}</code> <span>{result.isError ? 'failed with' : 'gave'}</span>
      </header>
      <pre>{result.text}</pre>
    </section>
  );
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 1).replace(/\n\s*/g, ' ');
  } catch {
    return text;
  }
}

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

/** A part of an answer. `thinking` is true for the last part of one that is running. */
export function Part({ part, thinking }: { part: AnswerPart; thinking: boolean }) {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <SeenMarkdown text={part.text} />;
    case 'refusal':
      return (
        <div className={classes.refusal}>
          <strong>Refusal</strong>
          <SeenMarkdown text={part.text} />
        </div>
      );
    case 'reasoning':
      return <Reasoning text={part.text} thinking={thinking} />;
    case 'media':
      return <AttachmentView media={part} />;
    case 'tool-call':
      return <ToolCallView call={part} />;
  }
}
