/** One row of the page. */
export interface Bound {
  /** The bounded thing. */
  what: string;
  /** The largest or smallest value. */
  limit: string;
  /** The settings that change it, in Markdown; absent if it is fixed. */
  setting?: string;
  /** The response beyond the bound, or what happens instead. */
  told: string;
}

/** One table of the page. */
export interface Section {
  title: string;
  /** Markdown above the table. */
  intro?: string;
  bounds: readonly Bound[];
}
