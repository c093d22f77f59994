import { Button, FileButton } from '@mantine/core';
import { type ReactNode, useRef } from 'react';

/** A button that opens the dialog for files. The same file can be chosen again. */
export function FilesButton({
  label,
  accept,
  multiple = false,
  onChoose,
  children,
}: {
  /** The name of the field for files. */
  label: string;
  accept: string;
  multiple?: boolean;
  onChoose(files: File[]): void;
  children: ReactNode;
}) {
  const reset = useRef<() => void>(null);
  const choose = (chosen: File | File[] | null) => {
    onChoose(chosen ? [chosen].flat() : []);
    reset.current?.();
  };
  return (
    <FileButton
      multiple={multiple}
      resetRef={reset}
      accept={accept}
      onChange={choose}
      inputProps={{ 'aria-label': label }}
    >
      {button => (
        <Button {...button} variant="default" size="compact-sm">
          {children}
        </Button>
      )}
    </FileButton>
  );
}
