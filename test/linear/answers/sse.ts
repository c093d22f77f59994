/** Answers of one format that grow. */
export type Answers = Record<string, (n: number) => string | Buffer>;

/** Returns a server-sent event. */
export const sse = (value: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(value)}\n\n`;
