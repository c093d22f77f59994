import { Button, FileInput, Group, Stack, Text } from '@mantine/core';
import { useObjectUrl } from '../operation/use-object-url.ts';
import { canRecord, useRecorder } from './use-recorder.ts';

/** The sound to transcribe: a file, or what the microphone recorded. */
export function SoundField({ file, onChange }: { file: File | null; onChange(file: File | null): void }) {
  const { state, problem, start, stop } = useRecorder(onChange);
  const url = useObjectUrl(file ?? undefined);
  return (
    <Stack gap="xs">
      <FileInput
        label="File"
        placeholder="Choose a file with sound"
        accept="audio/*,video/mp4,video/webm,.mp3,.m4a,.wav,.webm,.flac,.ogg"
        clearable
        clearButtonProps={{ 'aria-label': 'Remove the file' }}
        value={file}
        onChange={onChange}
        error={problem}
      />
      <Group gap="sm">
        {state === 'recording' ? (
          <Button variant="light" color="red" size="compact-sm" onClick={stop}>
            Stop recording
          </Button>
        ) : (
          <Button
            variant="default"
            size="compact-sm"
            onClick={start}
            disabled={!canRecord}
            loading={state === 'asking'}
          >
            Record
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {state === 'recording' && 'Recording…'}
          {!canRecord && 'Recording needs HTTPS and a browser that supports it.'}
        </Text>
      </Group>
      {url && (
        // biome-ignore lint/a11y/useMediaCaption: what is said in it is what the tab is to find out
        <audio src={url} controls aria-label="Sound" style={{ width: '100%' }} />
      )}
    </Stack>
  );
}
