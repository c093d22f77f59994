const key = 'model-gateway.token';

/** The token of this tab: it goes with the tab, and is in no URL. Where the browser keeps nothing, neither do we. */
export const tokenMemory = {
  read(): string {
    try {
      return sessionStorage.getItem(key) ?? '';
    } catch {
      return '';
    }
  },
  write(secret: string): void {
    try {
      if (secret) sessionStorage.setItem(key, secret);
      else sessionStorage.removeItem(key);
    } catch {
      // It lasts as long as the page then.
    }
  },
};
