import { Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react';
import { accepted, attach } from '../attachments/attach.ts';
import { AttachmentView } from '../attachments/attachment-view.tsx';
import type { MediaPart, QuestionPart, ToolCallPart } from '../conversation/part.ts';
import { type Draft, noDraft, readDraft, writeDraft } from '../saved/draft.ts';
import classes from './composer.module.css';
import { DropFiles } from './drop-files.tsx';
import { ResultFields } from './result-fields.tsx';

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
  const [refused, setRefused] = useState<string>();
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
    setRefused(undefined);
    ref.current?.focus();
  };
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    attach(files, attached).then(
      parts => {
        setRefused(undefined);
        onAttach([...attached, ...parts]);
      },
      (thrown: Error) => setRefused(thrown.message),
    );
  };
  return (
    <form
      className={classes.composer}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <DropFiles onDrop={add} />
      <ResultFields
        calls={calls}
        results={draft.results}
        onChange={results => change({ ...draft, results })}
      />
      <Attached files={attached} onChange={onAttach} />
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
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
        onPaste={event => onPaste(event, add)}
      />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <FileButton
            multiple
            accept={accepted}
            onChange={add}
            inputProps={{ 'aria-label': 'Files to attach' }}
          >
            {button => (
              <Button {...button} variant="default" size="compact-sm">
                Attach files
              </Button>
            )}
          </FileButton>
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

function Attached({ files, onChange }: { files: readonly MediaPart[]; onChange(files: MediaPart[]): void }) {
  if (files.length === 0) return null;
  return (
    <Group gap="xs" align="flex-end" className={classes.files}>
      {files.map((file, place) => (
        <AttachmentView
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
          key={place}
          media={file}
          onRemove={() => onChange(files.filter((_, at) => at !== place))}
        />
      ))}
    </Group>
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

function onPaste(event: ClipboardEvent, add: (files: File[]) => void): void {
  const files = [...event.clipboardData.files];
  if (files.length === 0) return;
  event.preventDefault();
  add(files);
}
