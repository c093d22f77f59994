import { Button } from '@mantine/core';
import { memo, useState } from 'react';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import { textOf } from '../conversation/part.ts';
import type { Question } from '../conversation/turn.ts';
import { Branches } from './branches.tsx';
import { EditQuestion } from './edit-question.tsx';
import classes from './question-view.module.css';
import { ToolResultView } from './tool-call-view.tsx';

export interface QuestionViewProps {
  question: Question;
  /** The ids of the questions after the same answer. */
  siblings: readonly number[];
  onChoose(id: number): void;
  /** Asks something else in its place. */
  onEdit(question: Question, parts: Question['parts']): void;
}

/** A question with its files and results. It can be edited, which makes a branch. */
export const QuestionView = memo(function QuestionView(props: QuestionViewProps) {
  const { question, siblings, onChoose, onEdit } = props;
  const [editing, setEditing] = useState(false);
  if (editing)
    return (
      <EditQuestion
        question={question}
        onCancel={() => setEditing(false)}
        onSend={parts => {
          setEditing(false);
          onEdit(question, parts);
        }}
      />
    );
  const text = textOf(question.parts);
  return (
    <div className={classes.row}>
      <article className={classes.question} aria-label="You">
        {question.parts.map((part, place) => {
          // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of a question do not change
          if (part.type === 'media') return <AttachmentView key={place} media={part} />;
          if (part.type === 'tool-result') return <ToolResultView key={place} result={part} />;
          // biome-ignore-end lint/suspicious/noArrayIndexKey: the parts of a question do not change
          return null;
        })}
        {text && <div className={classes.text}>{text}</div>}
      </article>
      <div className={classes.actions}>
        <Branches of="question" ids={siblings} shown={question.id} onChoose={onChoose} />
        <Button size="compact-xs" variant="subtle" onClick={() => setEditing(true)} data-asks>
          Edit
        </Button>
      </div>
    </div>
  );
});
