import { Button, FileInput, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useObjectUrl } from '../attachments/attachment-view.tsx';
import type { DraftProps } from '../operation/fields.tsx';

/** The sound to transcribe: a file, or what the microphone recorded. */
export function SoundField({ draft: { file }, change }: DraftProps<{ file: File | null }>) {
  const onChange = (file: File | null) => change({ file });
  const { state, problem, start, stop } = useRecorder(onChange);
  const url = useObjectUrl(file ?? undefined);
  return (
    <Stack gap="xs">
      <FileInput
        label="File"
        placeholder="Choose an audio file"
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
        <audio src={url} controls aria-label="Audio" style={{ width: '100%' }} />
      )}
    </Stack>
  );
}

/** Records by the microphone. Leaving the page ends the recording. */
function useRecorder(onFile: (file: File) => void) {
  const recorder = useRef<MediaRecorder>(undefined);
  const gone = useRef(false);
  const [state, setState] = useState<'idle' | 'asking' | 'recording'>('idle');
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      release(recorder.current);
    };
  }, []);

  const start = async () => {
    setProblem(undefined);
    setState('asking');
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = new MediaRecorder(stream);
      recorder.current = made;
      if (gone.current) return release(made);
      const pieces: Blob[] = [];
      made.ondataavailable = ({ data }) => pieces.push(data);
      made.onstop = () => {
        release(made);
        if (gone.current) return;
        setState('idle');
        onFile(fileOf(pieces, made.mimeType));
      };
      made.start();
      setState('recording');
    } catch (thrown) {
      setState('idle');
      setProblem(reasonOf(thrown));
    }
  };
  return { state, problem, start, stop: () => recorder.current?.stop() };
}

/** True where the browser can record: in a secure context alone. */
const canRecord = typeof MediaRecorder !== 'undefined' && Boolean(navigator.mediaDevices);

function release(recorder: MediaRecorder | undefined): void {
  for (const track of recorder?.stream.getTracks() ?? []) track.stop();
}

function fileOf(pieces: Blob[], mimeType: string): File {
  const type = mimeType.split(';')[0] || 'audio/webm';
  const ending = type.endsWith('mp4') ? 'm4a' : (type.split('/')[1] ?? 'webm');
  return new File(pieces, `recording.${ending}`, { type });
}

function reasonOf(thrown: unknown): string {
  const { name } = Object(thrown) as { name?: string };
  if (name === 'NotAllowedError') return 'The browser may not use the microphone. Allow it for this page.';
  if (name === 'NotFoundError') return 'There is no microphone. Connect one, or choose a file.';
  return 'The microphone cannot be used.';
}
