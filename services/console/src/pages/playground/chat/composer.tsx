import { Button, Checkbox, Group, Textarea } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react';
import { z } from 'zod/mini';
import { anyMedia } from '../attachments/attach.ts';
import { Attached, DropFiles, FilesButton, useAttach } from '../attachments/attachments.tsx';
import type { MediaPart, QuestionPart, ToolCallPart } from '../conversation/part.ts';
import classes from './composer.module.css';

interface Props {
  ref: RefObject<HTMLTextAreaElement | null>;
  running: boolean;
  /** The reason why nothing can be sent. */
  blocked: string | undefined;
  /** The calls of the last answer, which the question has to answer. */
  calls: readonly ToolCallPart[];
  attached: readonly MediaPart[];
  /** The reason why the format cannot carry a file; undefined if it can. */
  refuses(media: MediaPart): string | undefined;
  onAttach(files: MediaPart[]): void;
  onSend(parts: QuestionPart[]): void;
  onStop(): void;
  /** Further buttons. */
  more: ReactNode;
}

/** The form for a question: Enter sends it, Shift+Enter starts a new line. Files are attached by button, drop and paste. */
export function Composer(props: Props) {
  const { ref, running, blocked, calls, attached, refuses, onAttach, onSend, onStop, more } = props;
  const [draft, setDraft] = useState<Draft>(readDraft);
  const { refused, add, onPaste, forget } = useAttach(attached, onAttach, anyMedia);
  const change = (next: Draft) => {
    writeDraft(next);
    setDraft(next);
  };
  const problem = refused ?? attached.map(refuses).find(Boolean);
  const has = draft.text.trim() !== '' || attached.length > 0 || calls.length > 0;
  const sendable = !running && !blocked && !attached.some(refuses) && has;
  const send = () => {
    if (!sendable) return;
    onSend(partsOf(draft, attached, calls));
    change(noDraft);
    forget();
    ref.current?.focus();
  };
  return (
    <form
      className={classes.composer}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <DropFiles nouns={anyMedia.nouns} onDrop={add} />
      <ResultFields
        calls={calls}
        results={draft.results}
        onChange={results => change({ ...draft, results })}
      />
      <Attached files={attached} onChange={onAttach} problem={problem} />
      <Textarea
        ref={ref}
        aria-label="Message"
        placeholder={
          blocked ?? (calls.length > 0 ? 'Add a message to the results, or leave it' : 'Write a message')
        }
        autosize
        minRows={2}
        maxRows={10}
        value={draft.text}
        onChange={event => change({ ...draft, text: event.currentTarget.value })}
        onKeyDown={event => onEnter(event, send)}
        onPaste={onPaste}
      />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <FilesButton multiple accept={anyMedia.accept} label="Files to attach" onChoose={add}>
            Attach files
          </FilesButton>
          <span className={classes.keys}>Enter sends, Shift+Enter is a new line</span>
        </Group>
        <Group gap="xs" ml="auto">
          {more}
          {running ? (
            <Button key="stop" color="red" onClick={() => stopAndFocus(onStop, ref)}>
              Stop
            </Button>
          ) : (
            <Button key="send" type="submit" disabled={!sendable}>
              {calls.length > 0 ? 'Send results' : 'Send'}
            </Button>
          )}
        </Group>
      </Group>
    </form>
  );
}

function partsOf(
  draft: Draft,
  attached: readonly MediaPart[],
  calls: readonly ToolCallPart[],
): QuestionPart[] {
  const text = draft.text.trim();
  return [
    ...calls.map(({ id, name }) => ({
      type: 'tool-result' as const,
      callId: id,
      name,
      text: draft.results[id]?.text ?? '',
      isError: draft.results[id]?.isError ?? false,
    })),
    ...attached,
    ...(text ? [{ type: 'text' as const, text }] : []),
  ];
}

function stopAndFocus(onStop: () => void, { current }: RefObject<HTMLTextAreaElement | null>): void {
  onStop();
  current?.focus();
}

/** An Enter that ends an input method's composition does not send. */
function onEnter(event: KeyboardEvent, send: () => void): void {
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
}

const noResult = { text: '', isError: false };

/** Fields to answer the calls of the last answer by hand. */
function ResultFields({
  calls,
  results,
  onChange,
}: {
  calls: readonly ToolCallPart[];
  results: Draft['results'];
  onChange(results: Draft['results']): void;
}) {
  if (calls.length === 0) return null;
  return (
    <div className={classes.results}>
      {calls.map(({ id, name, arguments: called }) => {
        const result = results[id] ?? noResult;
        const change = (changed: Partial<typeof result>) =>
          onChange({ ...results, [id]: { ...result, ...changed } });
        return (
          <div key={id}>
            <Textarea
              label={`Result of ${name}`}
              description={called}
              autosize
              maxRows={6}
              value={result.text}
              onChange={event => change({ text: event.currentTarget.value })}
            />
            <Checkbox
              mt={6}
              size="xs"
              label="This is an error"
              checked={result.isError}
              onChange={event => change({ isError: event.currentTarget.checked })}
            />
          </div>
        );
      })}
    </div>
  );
}

/** The text that is typed and not sent yet. */
const draft = z.object({
  text: z.string(),
  /** The results of calls by their ids. */
  results: z.record(z.string(), z.object({ text: z.string(), isError: z.boolean() })),
});
export type Draft = z.infer<typeof draft>;

const noDraft: Draft = { text: '', results: {} };

const key = 'model-gateway.draft';

/** Reads the draft of this tab. It is written at each keystroke, so it is in the storage that is written at once. */
function readDraft(): Draft {
  try {
    return draft.parse(JSON.parse(sessionStorage.getItem(key) ?? ''));
  } catch {
    return noDraft;
  }
}

function writeDraft(written: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(written));
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}
