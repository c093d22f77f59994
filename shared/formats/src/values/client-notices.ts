/**
 * Types of messages on WebSockets that ask for nothing. Their senders await no answer, and would take an error for that of their
 * next request.
 */
const notices: readonly { type: string; source: string }[] = [
  { type: 'response.processed', source: 'Codex after each response: ResponsesWsRequest in openai/codex' },
  // Keep-alives. Pages send them as messages, since WHATWG's WebSockets standard has no method for ping frames.
  { type: 'ping', source: "WHATWG's WebSockets standard" },
  { type: 'pong', source: "xAI's Voice Agent API, which sends ping to its clients" },
  { type: 'heartbeat', source: "WHATWG's WebSockets standard" },
  { type: 'keepalive', source: "WHATWG's WebSockets standard" },
];

const types: ReadonlySet<unknown> = new Set(notices.map(({ type }) => type));

/** True for a message of a client that asks for nothing, in a session or on the socket of responses. */
export function isClientNotice({ type }: Record<string, unknown>): boolean {
  return types.has(type);
}
