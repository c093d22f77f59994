/** PostgreSQL's advisory locks that controls of one database take, each any number. They must stay the same in every version. */
export const locks = {
  /** Of a session: whoever has it migrates. */
  migration: 7_213_001,
  /** Of a transaction: whoever has it changes rows of the whole catalogue. */
  catalogue: 7_213_002,
  /** Of a session, shared, with the age of a catalogue file as its second number. */
  catalogueFile: 7_213_003,
} as const;
