import { Button, CloseButton, Fieldset, FileButton, Group, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useObjectUrl } from '../operation/use-object-url.ts';
import { addImages, checkImage, type InputFiles, imageTypes } from './draft.ts';
import classes from './images.module.css';

/** The images to edit, in their order, and a mask. */
export function InputImages({ files, onChange }: { files: InputFiles; onChange(files: InputFiles): void }) {
  const { images, mask } = files;
  const [refused, setRefused] = useState<string>();
  const resetImages = useRef<() => void>(null);
  const resetMask = useRef<() => void>(null);
  const attempt = (next: () => InputFiles) => {
    try {
      onChange(next());
      setRefused(undefined);
    } catch (thrown) {
      setRefused((thrown as Error).message);
    }
  };
  const add = (added: readonly File[]) => {
    attempt(() => ({ ...files, images: addImages(images, added) }));
    // A file that was removed can be chosen again.
    resetImages.current?.();
  };
  const setMask = (chosen: File | null) => {
    attempt(() => {
      if (chosen) checkImage(chosen);
      return { ...files, mask: chosen };
    });
    resetMask.current?.();
  };
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
                onRemove={() => onChange({ ...files, images: images.toSpliced(at, 1) })}
              />
            ))}
            {mask && <InputImage file={mask} label="Mask" onRemove={() => setMask(null)} />}
          </ul>
        )}
        <Group gap="xs">
          <FileButton
            multiple
            resetRef={resetImages}
            accept={imageTypes.join(',')}
            onChange={add}
            inputProps={{ 'aria-label': 'Image files' }}
          >
            {button => (
              <Button {...button} variant="default" size="compact-sm">
                Add images
              </Button>
            )}
          </FileButton>
          <FileButton
            resetRef={resetMask}
            accept="image/png"
            onChange={setMask}
            inputProps={{ 'aria-label': 'Mask file' }}
          >
            {button => (
              <Button {...button} variant="default" size="compact-sm">
                {mask ? 'Replace the mask' : 'Add a mask'}
              </Button>
            )}
          </FileButton>
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
