/** An entry of the palette. */
export interface PaletteEntry {
  label: string;
  description?: string | undefined;
  run(): void;
}

/** Entries of one kind, with the label of the kind. */
export interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}
