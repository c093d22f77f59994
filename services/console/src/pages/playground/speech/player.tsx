import { Anchor, Stack, Text } from '@mantine/core';
import type { Speech } from './read-speech.ts';

/** A speech to play, while it arrives where the browser can do that, and to download when it is complete. */
export function Player({ speech: { playUrl, downloadUrl, format } }: { speech: Speech }) {
  return (
    <Stack gap="xs">
      {playUrl ? (
        // biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands above
        <audio key={playUrl} src={playUrl} controls autoPlay aria-label="Speech" style={{ width: '100%' }} />
      ) : (
        <Text size="sm" c="dimmed">
          This format can be played when all of it is there.
        </Text>
      )}
      {downloadUrl && (
        <Anchor href={downloadUrl} download={`speech.${format}`} size="sm">
          Download
        </Anchor>
      )}
    </Stack>
  );
}
