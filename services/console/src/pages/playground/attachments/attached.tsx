import { Group, Text } from '@mantine/core';
import type { MediaPart } from '../conversation/part.ts';
import classes from './attached.module.css';
import { AttachmentView } from './attachment-view.tsx';

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
