import { type ClipboardEvent, useState } from 'react';
import type { MediaPart } from '../conversation/part.ts';
import { type Attachable, attach } from './attach.ts';

/** Adds files to those that are attached, and holds the reason why one cannot be. */
export function useAttach(
  attached: readonly MediaPart[],
  onAttach: (files: MediaPart[]) => void,
  attachable: Attachable,
) {
  const [refused, setRefused] = useState<string>();
  const forget = () => setRefused(undefined);
  const add = (files: readonly File[]) => {
    if (files.length === 0) return;
    attach(files, attached, attachable).then(
      parts => {
        forget();
        onAttach([...attached, ...parts]);
      },
      (thrown: Error) => setRefused(thrown.message),
    );
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    add(files);
  };
  return { refused, add, onPaste, forget };
}
