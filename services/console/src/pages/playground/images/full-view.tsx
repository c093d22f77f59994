import { Button, Group, Modal } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { useObjectUrl } from '../operation/use-object-url.ts';
import type { Picture } from './answer.ts';
import classes from './images.module.css';
import { fileName } from './picture-file.ts';

/** An image as large as the window allows. The arrow keys go to the others. */
export function FullView({
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
