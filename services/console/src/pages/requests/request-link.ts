/** Returns the page of a request. `at` and `token` help to find it quickly: the time of its start or of an attempt, and its token. */
export function requestLink(requestId: string, hint: { at: string; token: string }): string {
  return `/requests/${encodeURIComponent(requestId)}?${new URLSearchParams(hint)}`;
}
