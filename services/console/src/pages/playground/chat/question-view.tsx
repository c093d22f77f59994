import { Button, Group, Textarea } from '@mantine/core';
import { memo, useState } from 'react';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import { type QuestionPart, textOf } from '../conversation/part.ts';
import type { Question } from '../conversation/turn.ts';
import { Branches } from './answer-footer.tsx';
import { ToolResultView } from './answer-parts.tsx';
import classes from './question-view.module.css';

interface QuestionViewProps {
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

/** A form to change a question and ask it again. The answer to the old one stays, as another branch. */
function EditQuestion({
  question,
  onSend,
  onCancel,
}: {
  question: Question;
  onSend(parts: QuestionPart[]): void;
  onCancel(): void;
}) {
  const hasText = question.parts.some(({ type }) => type === 'text');
  const [parts, setParts] = useState<QuestionPart[]>(
    hasText ? question.parts : [...question.parts, { type: 'text', text: '' }],
  );
  const change = (place: number, text: string) =>
    setParts(parts.map((part, at) => (at === place ? ({ ...part, text } as QuestionPart) : part)));
  const kept = parts.filter(part => part.type !== 'text' || part.text.trim() !== '');
  return (
    <form
      className={classes.editing}
      aria-label="Edit the question"
      onSubmit={event => {
        event.preventDefault();
        if (kept.length > 0) onSend(kept);
      }}
    >
      {parts.map((part, place) =>
        part.type === 'media' ? (
          <AttachmentView
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
            key={place}
            media={part}
            onRemove={() => setParts(parts.filter((_, at) => at !== place))}
          />
        ) : (
          <Textarea
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other identity
            key={place}
            label={part.type === 'tool-result' ? `Result of ${part.name}` : 'Edited message'}
            data-autofocus={part.type === 'text'}
            autosize
            maxRows={12}
            value={part.text}
            onChange={event => change(place, event.currentTarget.value)}
          />
        ),
      )}
      <Group justify="flex-end" gap="xs">
        <Button size="compact-sm" variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="compact-sm" type="submit" disabled={kept.length === 0} data-asks>
          Ask again
        </Button>
      </Group>
    </form>
  );
}
