import { Button, CopyButton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './code-block.module.css';

/** A block of code with its label and a button to copy it. `children` are the code as it is shown, if that is highlighted. */
export function CodeBlock({
  label,
  code,
  children = code,
}: {
  label: string;
  code: string;
  children?: ReactNode;
}) {
  return (
    <figure className={classes.block}>
      <figcaption>
        <span>{label}</span>
        <Copy text={code} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard */}
      <pre tabIndex={0}>{children}</pre>
    </figure>
  );
}

/** A button that copies a text. Absent if the browser offers no clipboard, as on plain HTTP from another machine. */
export function Copy({ text, label }: { text: string; label: string }) {
  if (!navigator.clipboard) return null;
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : label}
        </Button>
      )}
    </CopyButton>
  );
}
