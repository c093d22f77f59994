import { Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import '@mantine/dropzone/styles.css';

/** Takes files that are dropped anywhere on the page. */
export function DropZone({ nouns, onDrop }: { nouns: string; onDrop(files: File[]): void }) {
  return (
    <Dropzone.FullScreen
      active
      withinPortal={false}
      onDrop={onDrop}
      onReject={() => {}}
      activateOnClick={false}
    >
      <Text ta="center" size="lg" style={{ pointerEvents: 'none' }}>
        Drop {nouns} here
      </Text>
    </Dropzone.FullScreen>
  );
}
