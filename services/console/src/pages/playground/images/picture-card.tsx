import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useObjectUrl } from '../operation/use-object-url.ts';
import classes from './images.module.css';
import { fileName, kindAndSize } from './picture-file.ts';

/** An image with its facts, and what can be done with it. */
export function PictureCard({
  blob,
  number,
  prompt,
  onOpen,
  onEdit,
}: {
  blob: Blob;
  number: number;
  /** The prompt as the model rewrote it. */
  prompt: string | undefined;
  onOpen(): void;
  onEdit(image: File): void;
}) {
  const url = useObjectUrl(blob);
  const [pixels, setPixels] = useState<string>();
  const [broken, setBroken] = useState(false);
  const name = fileName(blob, number);
  return (
    <figure className={classes.card}>
      {url && !broken && (
        <UnstyledButton
          className={classes.open as string}
          aria-label={`Open image ${number}`}
          onClick={onOpen}
        >
          <img
            src={url}
            alt=""
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setPixels(`${naturalWidth} × ${naturalHeight}`)
            }
            onError={() => setBroken(true)}
          />
        </UnstyledButton>
      )}
      {broken && <Text size="sm">The browser cannot show this image.</Text>}
      <figcaption>
        {[`Image ${number}`, pixels, kindAndSize(blob)].filter(Boolean).join(' · ')}
        {prompt && <span className={classes.prompt}>{prompt}</span>}
      </figcaption>
      <Group gap="xs">
        <Button
          component="a"
          href={url}
          download={name}
          variant="default"
          size="compact-sm"
          aria-label={`Download image ${number}`}
        >
          Download
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Edit image ${number}`}
          disabled={broken || blob.type === 'image/svg+xml'}
          onClick={() => onEdit(new File([blob], name, { type: blob.type }))}
        >
          Edit
        </Button>
      </Group>
    </figure>
  );
}
