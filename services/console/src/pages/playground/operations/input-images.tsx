import { CloseButton, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useObjectUrl } from '../attachments/attachment-view.tsx';
import { FilesButton } from '../attachments/attachments.tsx';
import type { DraftProps } from '../operation/fields.tsx';
import { addImages, checkImage, type ImagesDraft, imageTypes } from './image-request.ts';
import classes from './images.module.css';

/** The images to edit, in their order, and a mask. */
export function InputImages({ draft: { images, mask }, change }: DraftProps<ImagesDraft>) {
  const [refused, setRefused] = useState<string>();
  const attempt = (next: () => Partial<ImagesDraft>) => {
    try {
      change(next());
      setRefused(undefined);
    } catch (thrown) {
      setRefused((thrown as Error).message);
    }
  };
  const add = (added: readonly File[]) => attempt(() => ({ images: addImages(images, added) }));
  const setMask = (chosen: File | null) =>
    attempt(() => {
      if (chosen) checkImage(chosen);
      return { mask: chosen };
    });
  return (
    <Fieldset legend="Images to edit" variant="unstyled">
      <Stack gap="xs">
        {(images.length > 0 || mask) && (
          <ul className={classes.inputs} aria-label="Images to edit">
            {images.map((file, at) => (
              <InputImage
                // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be added twice
                key={at}
                file={file}
                label={`Image ${at + 1}`}
                onRemove={() => change({ images: images.toSpliced(at, 1) })}
              />
            ))}
            {mask && <InputImage file={mask} label="Mask" onRemove={() => setMask(null)} />}
          </ul>
        )}
        <Group gap="xs">
          <FilesButton multiple label="Image files" accept={imageTypes.join(',')} onChoose={add}>
            Add images
          </FilesButton>
          <FilesButton
            label="Mask file"
            accept="image/png"
            onChoose={([chosen]) => chosen && setMask(chosen)}
          >
            {mask ? 'Replace the mask' : 'Add a mask'}
          </FilesButton>
          <Text size="xs" c="dimmed">
            The transparent areas of a mask mark where the first image is edited.
          </Text>
        </Group>
        {refused && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {refused}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}

function InputImage({ file, label, onRemove }: { file: File; label: string; onRemove(): void }) {
  const url = useObjectUrl(file);
  return (
    <li className={classes.input}>
      {url && <img src={url} alt={`${label}: ${file.name}`} />}
      <div className={classes.name}>
        <span title={file.name}>
          {label}: {file.name}
        </span>
        <CloseButton size="xs" onClick={onRemove} aria-label={`Remove ${label.toLowerCase()}`} />
      </div>
    </li>
  );
}
