import { Button, Group, Textarea } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react';
import { anyMedia } from '../attachments/attach.ts';
import { Attached } from '../attachments/attached.tsx';
import { DropFiles } from '../attachments/drop-files.tsx';
import { FilesButton } from '../attachments/files-button.tsx';
import { useAttach } from '../attachments/use-attach.ts';
import type { MediaPart, QuestionPart, ToolCallPart } from '../conversation/part.ts';
import { type Draft, noDraft, readDraft, writeDraft } from '../saved/draft.ts';
import classes from './composer.module.css';
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
