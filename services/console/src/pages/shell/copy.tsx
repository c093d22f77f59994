import { Button, CopyButton } from '@mantine/core';

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
