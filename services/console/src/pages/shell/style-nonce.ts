/** What lets styles that the page makes pass its policy; the service puts it there, and Vite names the place. */
export function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
