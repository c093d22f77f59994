import { Anchor, Button, Group, Modal, Text, Title, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useObjectUrl } from '../attachments/attachment-view.tsx';
import { fileName, type GeneratedImages, kindAndSize, type Picture } from './image-answer.ts';
import classes from './images.module.css';

/** The images of an answer. Each opens in full size, and can be downloaded or edited. */
export function Gallery({ made, onEdit }: { made: GeneratedImages; onEdit(image: File): void }) {
  const { pictures, partial } = made;
  const [opened, open] = useState<number>();
  return (
    <section aria-label="Gallery">
      <Title order={2} size="h5">
        Images
      </Title>
      <ul className={classes.gallery}>
        {pictures.map((picture, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: images only join at the end
          <li key={at}>
            {picture.blob ? (
              <PictureCard
                blob={picture.blob}
                number={at + 1}
                prompt={picture.revisedPrompt}
                onOpen={() => open(at)}
                onEdit={onEdit}
              />
            ) : (
              <Elsewhere picture={picture} number={at + 1} />
            )}
          </li>
        ))}
        {partial && (
          <li>
            <Partial {...partial} number={pictures.length + 1} />
          </li>
        )}
      </ul>
      {opened !== undefined && (
        <FullView pictures={pictures} at={opened} onChange={open} onClose={() => open(undefined)} />
      )}
    </section>
  );
}

function Partial({ picture, index, number }: { picture: Picture; index: number; number: number }) {
  const url = useObjectUrl(picture.blob);
  return (
    <figure className={classes.card}>
      {url && <img src={url} alt={`Partial ${index + 1} of number ${number}`} className={classes.partial} />}
      <figcaption>
        Image {number}, partial {index + 1}
      </figcaption>
    </figure>
  );
}

/** An image that the page cannot show. */
function Elsewhere({ picture: { url, revisedPrompt }, number }: { picture: Picture; number: number }) {
  return (
    <div className={classes.card}>
      <Text size="sm">
        {url
          ? 'The provider keeps this image, and the console shows nothing of other hosts. '
          : 'This image cannot be read. '}
        {url && (
          <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
            Open image {number}
          </Anchor>
        )}
      </Text>
      {revisedPrompt && (
        <Text size="xs" c="dimmed">
          {revisedPrompt}
        </Text>
      )}
    </div>
  );
}

/** An image with its facts, and what can be done with it. */
function PictureCard({
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

/** An image as large as the window allows. The arrow keys go to the others. */
function FullView({
  pictures,
  at,
  onChange,
  onClose,
}: {
  pictures: readonly Picture[];
  at: number;
  onChange(at: number): void;
  onClose(): void;
}) {
  const blob = pictures[at]?.blob;
  const url = useObjectUrl(blob);
  const places = [...pictures.keys()].filter(place => pictures[place]?.blob);
  const before = places.findLast(place => place < at);
  const after = places.find(place => place > at);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const next = key === 'ArrowLeft' ? before : key === 'ArrowRight' ? after : undefined;
    if (next !== undefined) onChange(next);
  };
  return (
    <Modal
      opened
      fullScreen
      onClose={onClose}
      onKeyDown={onKeyDown}
      title={`Image ${at + 1} of ${pictures.length}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={classes.full}>
        {url && <img src={url} alt={`Number ${at + 1} in full size`} />}
        <Group gap="xs" justify="center">
          {places.length > 1 && (
            <>
              <Go label="Previous" to={before} onChange={onChange} />
              <Go label="Next" to={after} onChange={onChange} />
            </>
          )}
          {blob && (
            <Button component="a" href={url} download={fileName(blob, at + 1)}>
              Download
            </Button>
          )}
        </Group>
      </div>
    </Modal>
  );
}

function Go({ label, to, onChange }: { label: string; to: number | undefined; onChange(at: number): void }) {
  return (
    <Button variant="default" disabled={to === undefined} onClick={() => to !== undefined && onChange(to)}>
      {label}
    </Button>
  );
}
