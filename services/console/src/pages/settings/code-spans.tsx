import { Code } from '@mantine/core';

/** A text in which what is between backticks is code. */
export function CodeSpans({ text }: { text: string }) {
  return text.split('`').map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    place % 2 === 1 ? <Code key={place}>{part}</Code> : part,
  );
}
