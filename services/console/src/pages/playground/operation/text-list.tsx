import { Button, CloseButton, Fieldset, Group, Textarea } from '@mantine/core';
import type { ClipboardEvent } from 'react';
import classes from './text-list.module.css';

/** A list of texts, each in a field. Pasting several lines into an empty field makes a text of each. */
export function TextList({
  legend,
  noun,
  texts,
  onChange,
}: {
  legend: string;
  /** The name of one text, such as `Document`. */
  noun: string;
  texts: readonly string[];
  onChange(texts: string[]): void;
}) {
  const paste = (event: ClipboardEvent, at: number) => {
    const lines = event.clipboardData
      .getData('text')
      .split('\n')
      .filter(line => line.trim());
    if (texts[at] !== '' || lines.length < 2) return;
    event.preventDefault();
    onChange(texts.toSpliced(at, 1, ...lines));
  };
  return (
    <Fieldset legend={legend} variant="unstyled">
      <div className={classes.list}>
        {texts.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a text has no identity but its place
          <Group key={at} gap="xs" wrap="nowrap" align="flex-start">
            <span className={classes.number} aria-hidden>
              {at + 1}
            </span>
            <Textarea
              className={classes.text as string}
              aria-label={`${noun} ${at + 1}`}
              autosize
              minRows={1}
              maxRows={6}
              value={text}
              onChange={event => onChange(texts.with(at, event.currentTarget.value))}
              onPaste={event => paste(event, at)}
            />
            <CloseButton
              aria-label={`Remove ${noun.toLowerCase()} ${at + 1}`}
              disabled={texts.length === 1}
              onClick={() => onChange(texts.toSpliced(at, 1))}
            />
          </Group>
        ))}
      </div>
      <Button mt="xs" size="compact-sm" variant="default" onClick={() => onChange([...texts, ''])}>
        Add {noun.toLowerCase()}
      </Button>
    </Fieldset>
  );
}
