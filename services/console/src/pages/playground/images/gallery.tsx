import { Anchor, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useObjectUrl } from '../operation/use-object-url.ts';
import type { Made, Picture } from './answer.ts';
import { FullView } from './full-view.tsx';
import classes from './images.module.css';
import { PictureCard } from './picture-card.tsx';

/** The images of an answer. Each opens in full size, and can be downloaded or edited. */
export function Gallery({ made, onEdit }: { made: Made; onEdit(image: File): void }) {
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
