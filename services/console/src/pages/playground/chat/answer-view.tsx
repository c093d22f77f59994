import { Button, Loader } from '@mantine/core';
import { memo } from 'react';
import { Copy } from '../../layout/code-block.tsx';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import { type AnswerPart, textOf } from '../conversation/part.ts';
import type { Answer } from '../conversation/turn.ts';
import { AnswerFacts } from './answer-facts.tsx';
import { AnswerFailure } from './answer-failure.tsx';
import classes from './answer-view.module.css';
import { Branches } from './branches.tsx';
import { JsonAnswer } from './json-answer.tsx';
import { Reasoning } from './reasoning.tsx';
import { SeenMarkdown } from './seen-markdown.tsx';
import { ToolCallView } from './tool-call-view.tsx';

export interface AnswerViewProps {
  answer: Answer;
  /** The ids of the answers to the same question. */
  siblings: readonly number[];
  onChoose(id: number): void;
  /** Asks again; absent while nothing can be asked. */
  onRetry: ((answer: Answer) => void) | undefined;
  /** Shows the request and the events of the answer. */
  onInspect: ((id: number) => void) | undefined;
}

/** An answer, complete or still streaming, and how it ended. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { answer } = props;
  const running = answer.state === 'running';
  const note = noteOf(answer);
  const text = textOf(answer.parts);
  return (
    <article
      className={classes.answer}
      aria-label={`Answer of ${answer.model}`}
      aria-busy={running}
      data-state={answer.state}
    >
      {answer.json && !running && text ? (
        <JsonAnswer answer={answer} text={text} />
      ) : (
        answer.parts.map((part, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
          <Part key={place} part={part} thinking={running && place === answer.parts.length - 1} />
        ))
      )}
      {running && text === '' && (
        <Loader type="dots" size="sm" role="status" aria-label="Waiting for the answer" />
      )}
      {note && <p className={classes.note}>{note}</p>}
      <AnswerFailure answer={answer} />
      {!running && <Footer {...props} text={text} />}
    </article>
  );
});

function Footer(props: AnswerViewProps & { text: string }) {
  const { answer, text, siblings, onChoose, onRetry, onInspect } = props;
  return (
    <footer className={classes.footer}>
      <AnswerFacts answer={answer} />
      <div className={classes.actions}>
        <Branches of="answer" ids={siblings} shown={answer.id} onChoose={onChoose} />
        {text && <Copy text={text} label="Copy" />}
        {onInspect && (
          <Button size="compact-xs" variant="default" onClick={() => onInspect(answer.id)}>
            Request
          </Button>
        )}
        {onRetry && (
          <Button size="compact-xs" variant="default" onClick={() => onRetry(answer)} data-asks>
            Try again
          </Button>
        )}
      </div>
    </footer>
  );
}

function Part({ part, thinking }: { part: AnswerPart; thinking: boolean }) {
  switch (part.type) {
    case 'text':
      return part.text === '' ? null : <SeenMarkdown text={part.text} />;
    case 'refusal':
      return (
        <div className={classes.refusal}>
          <strong>Refused</strong>
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

/** Returns a note on how an answer without an error ended. */
function noteOf({ state, finish, finishRaw, parts }: Answer): string | undefined {
  if (state === 'stopped') return 'Stopped.';
  if (state !== 'done') return undefined;
  if (finish === 'length') return 'The answer reached its token limit.';
  if (finish === 'filter') return "The provider's content filter withheld the rest of the answer.";
  if (finish === 'refusal') return 'The model refused.';
  if (finish === 'other') return `The answer ended for the reason ${finishRaw}.`;
  return parts.length === 0 ? 'The answer is empty.' : undefined;
}
