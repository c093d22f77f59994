import { Button, CopyButton } from '@mantine/core';
import classes from './code-block.module.css';

/** Code as it is, under what it is called, with a button to copy it. */
export function CodeBlock({ label, code }: { label: string; code: string }) {
  return (
    <figure className={classes.block}>
      <figcaption>
        <span>{label}</span>
        <Copy text={code} label={`Copy ${label}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus */}
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}

/** Copies a text; absent where the browser gives no clipboard, as on plain HTTP from another machine. */
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
