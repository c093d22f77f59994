import { Button, FileButton, Group, Text } from '@mantine/core';
import { type ClipboardEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import type { MediaPart } from '../conversation/part.ts';
import { type Attachable, attach } from './attach.ts';
import { AttachmentView } from './attachment-view.tsx';
import classes from './attachments.module.css';

/** The files that are attached, each of which can be removed, and what is wrong with one. */
export function Attached({
  files,
  onChange,
  problem,
}: {
  files: readonly MediaPart[];
  onChange(files: MediaPart[]): void;
  problem: string | undefined;
}) {
  return (
    <>
      {files.length > 0 && (
        <Group gap="xs" align="flex-end" className={classes.files as string}>
          {files.map((file, place) => (
            <AttachmentView
              // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice
              key={place}
              media={file}
              onRemove={() => onChange(files.filter((_, at) => at !== place))}
            />
          ))}
        </Group>
      )}
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem}
        </Text>
      )}
    </>
  );
}

/** Adds files to those that are attached, and holds the reason why one cannot be. */
export function useAttach(
  attached: readonly MediaPart[],
  onAttach: (files: MediaPart[]) => void,
  attachable: Attachable,
) {
  const [refused, setRefused] = useState<string>();
  const forget = () => setRefused(undefined);
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    attach(files, attached, attachable).then(
      parts => {
        forget();
        onAttach([...attached, ...parts]);
      },
      (thrown: Error) => setRefused(thrown.message),
    );
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  return { refused, add, onPaste, forget };
}

/** A button that opens the dialog for files. The same file can be chosen again. */
export function FilesButton({
  label,
  accept,
  multiple = false,
  onChoose,
  children,
}: {
  /** The name of the field for files. */
  label: string;
  accept: string;
  multiple?: boolean;
  onChoose(files: File[]): void;
  children: ReactNode;
}) {
  const reset = useRef<() => void>(null);
  const choose = (chosen: File | File[] | null) => {
    onChoose(chosen ? [chosen].flat() : []);
    reset.current?.();
  };
  return (
    <FileButton
      multiple={multiple}
      resetRef={reset}
      accept={accept}
      onChange={choose}
      inputProps={{ 'aria-label': label }}
    >
      {button => (
        <Button {...button} variant="default" size="compact-sm">
          {children}
        </Button>
      )}
    </FileButton>
  );
}

const DropZone = lazy(() => import('./drop-zone.tsx').then(zone => ({ default: zone.DropZone })));

/** Takes files that are dropped anywhere on the page, once that is loaded. */
export function DropFiles(props: { nouns: string; onDrop(files: File[]): void }) {
  return (
    <Suspense fallback={null}>
      <DropZone {...props} />
    </Suspense>
  );
}
