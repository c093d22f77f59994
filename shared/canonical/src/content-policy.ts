/** Error codes of providers whose content policy refuses a request. */
const codes: ReadonlySet<unknown> = new Set([
  'content_filter',
  'content_policy_violation',
  'image_content_policy_violation',
  'moderation_blocked',
  'invalid_prompt',
]);
/** Messages of providers that send no code for it. */
const messages =
  /content (?:management |filtering |safety |usage )?polic|content[ _]filter|safety system|content exists risk|\b(?:prompt|input|request|message|text|image)s?\b.{0,60}\bflagged\b|\b(?:flagged|blocked|rejected|refused|failed|violat\w+)\b.{0,60}\bmoderation\b|\bmoderation\b.{0,60}\b(?:flagged|blocked|rejected|refused|failed|violat\w+)\b/i;

/** Characters of a message that are searched. */
const searched = 4_000;

/** True if an error means that a provider's content policy refuses the request. */
export function isContentPolicy({ message = '', code }: { message?: string; code?: unknown }): boolean {
  return codes.has(code) || messages.test(message.slice(0, searched));
}
