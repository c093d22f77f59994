/** Returns the page of a request. The id of its token helps to find it while it runs. */
export function requestLink(requestId: string, { token }: { token: string | null }): string {
  const path = `/requests/${encodeURIComponent(requestId)}`;
  return token ? `${path}?${new URLSearchParams({ token })}` : path;
}
