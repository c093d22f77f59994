import { Button, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import type { QuestionPart } from '../conversation/part.ts';
import type { Question } from '../conversation/turn.ts';
import classes from './question-view.module.css';

/** A form to change a question and ask it again. The answer to the old one stays, as another branch. */
export function EditQuestion({
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
