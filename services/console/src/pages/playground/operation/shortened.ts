/** Shortens what nobody reads: images and audio in base64, and texts of more than 20,000 characters. */
export function shortened(text: string): string {
  const brief = text.replace(
    /[\w+/=]{300,}/g,
    data => `${data.slice(0, 24)}… (${data.length.toLocaleString()} characters)`,
  );
  return brief.length > maxCharacters ? `${brief.slice(0, maxCharacters)}\n…` : brief;
}

const maxCharacters = 20_000;
