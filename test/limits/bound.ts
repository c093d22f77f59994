/** One row of the page. */
export interface Bound {
  /** The thing that is bounded. */
  what: string;
  /** The most, or the least, that it may be. */
  limit: string;
  /** The settings that change it, in Markdown; it is fixed where they are absent. */
  setting?: string;
  /** The answer over the bound, or what happens instead. */
  told: string;
}

/** One table of the page. */
export interface Section {
  title: string;
  /** Markdown above the table. */
  intro?: string;
  bounds: readonly Bound[];
}
