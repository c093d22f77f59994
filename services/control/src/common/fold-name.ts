/** Matches a character that is shown as nothing. */
export const unseen = /\p{Default_Ignorable_Code_Point}/u;
const allUnseen = new RegExp(unseen, 'gu');

/** Returns a name as people compare it: without case, characters that are not seen, and forms of compatibility. */
export function foldName(name: string): string {
  return name.replace(allUnseen, '').normalize('NFKC').trim().toUpperCase().toLowerCase();
}
