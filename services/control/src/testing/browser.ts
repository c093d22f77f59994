/** A page or another answer that a browser got. */
export interface Page {
  url: string;
  status: number;
  text: string;
}

/** The most redirects in a row. */
const mostRedirects = 10;

/** A browser without a screen: it follows redirects, keeps cookies, and sends forms. */
export class Browser {
  /** The cookies by host and name. Ports share them, as in browsers. */
  readonly cookies = new Map<string, string>();

  /** Goes to a URL, and follows redirects until `stopAt` is true of one. */
  async go(
    url: string,
    { form, stopAt }: { form?: Record<string, string>; stopAt?: (url: string) => boolean } = {},
  ): Promise<Page> {
    let next = url;
    let body = form && new URLSearchParams(form);
    for (let n = 0; n < mostRedirects; n++) {
      if (stopAt?.(next)) return { url: next, status: 302, text: '' };
      const response: Response = await fetch(next, {
        redirect: 'manual',
        headers: { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        ...(body && { method: 'POST', body }),
      });
      this.#keep(response);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || !location)
        return { url: next, status: response.status, text: await response.text() };
      next = new URL(location, next).href;
      body = undefined;
    }
    throw new Error(`more than ${mostRedirects} redirects from ${url}`);
  }

  #keep(response: Response): void {
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /max-age=0/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}
