import { CloseButton } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import type { MediaPart } from '../conversation/part.ts';
import classes from './attachments.module.css';

/** A file of a question or an answer: an image, a sound to play, or a name. */
export function AttachmentView({ media, onRemove }: { media: MediaPart; onRemove?: () => void }) {
  const { kind, name, data, mediaType } = media;
  const url = useObjectUrl(useMemo(() => blobOf(data, mediaType), [data, mediaType]));
  return (
    <figure className={classes.attachment} aria-label={name}>
      {kind === 'image' && url && <img src={url} alt={name} />}
      {/* biome-ignore lint/a11y/useMediaCaption: what the user attaches has no captions */}
      {kind === 'audio' && url && <audio controls src={url} aria-label={name} />}
      <figcaption>
        <a href={url} download={name} title={`${name}, ${mediaType}`}>
          {name}
        </a>
        <span>{sizeOf(data)}</span>
        {onRemove && <CloseButton size="xs" onClick={onRemove} aria-label={`Remove ${name}`} />}
      </figcaption>
    </figure>
  );
}

/** Decodes a file. Only what the page shows has its type: a document is never opened as a page of this origin. */
function blobOf(data: string, mediaType: string): Blob | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
    return new Blob([bytes], { type: /^(image|audio)\//.test(mediaType) ? mediaType : '' });
  } catch {
    return undefined;
  }
}

function sizeOf(data: string): string {
  const bytes = data.length * 0.75;
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Returns an address for a file that only this page can read; undefined until it is there. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!blob) return setUrl(undefined);
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
