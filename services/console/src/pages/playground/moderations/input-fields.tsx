import { Group, Stack, Text } from '@mantine/core';
import { onlyImages } from '../attachments/attach.ts';
import { Attached } from '../attachments/attached.tsx';
import { DropFiles } from '../attachments/drop-files.tsx';
import { FilesButton } from '../attachments/files-button.tsx';
import { useAttach } from '../attachments/use-attach.ts';
import type { MediaPart } from '../conversation/part.ts';
import { TextList } from '../operation/text-list.tsx';

/** The fields for texts, and images that are attached by button, drop and paste. */
export function InputFields({
  texts,
  images,
  onTexts,
  onImages,
}: {
  texts: readonly string[];
  images: readonly MediaPart[];
  onTexts(texts: string[]): void;
  onImages(images: MediaPart[]): void;
}) {
  const { refused, add, onPaste } = useAttach(images, onImages, onlyImages);
  return (
    <Stack gap="xs" onPaste={onPaste}>
      <DropFiles nouns={onlyImages.nouns} onDrop={add} />
      <TextList legend="Inputs" noun="Input" texts={texts} onChange={onTexts} />
      <Attached files={images} onChange={onImages} problem={refused} />
      <Group gap="xs">
        <FilesButton multiple accept={onlyImages.accept} label="Images to attach" onChoose={add}>
          Attach images
        </FilesButton>
        {images.length > 0 && (
          <Text size="xs" c="dimmed">
            With images, all inputs are classified together, by a model that takes images.
          </Text>
        )}
      </Group>
    </Stack>
  );
}
