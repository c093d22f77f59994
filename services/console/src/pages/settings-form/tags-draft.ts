/** Tags in a form: a list, so that a name can be empty or twice in it while it is typed. */
export type TagsDraft = { key: string; name: string; value: string }[];

/** Returns the form's values for the tags of a resource. */
export function draftOfTags(tags: Record<string, string> | null | undefined): TagsDraft {
  return Object.entries(tags ?? {}).map(([name, value]) => ({ key: name, name, value }));
}

/** Returns the tags that a form has. A tag without a name is left out. */
export function tagsOfDraft(draft: TagsDraft): Record<string, string> {
  const named = draft.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries(named.map(({ name, value }) => [name.trim(), value.trim()]));
}
