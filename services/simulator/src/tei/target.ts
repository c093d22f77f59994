const usualModel = 'sim-fast';

/** The model that a server has: the base URL names it, as in `/tei/fault-429/embed`; else it is `sim-fast`. */
export function modelIn(url: string): string {
  const [, model] = /^\/tei\/([^?]+)\/[^/?]+(?:\?|$)/.exec(url) ?? [];
  return model === undefined ? usualModel : decodeURIComponent(model);
}
