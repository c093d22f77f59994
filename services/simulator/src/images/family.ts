/** What a model can do, as the vendor has it for the models of its kind. */
export interface Family {
  mostPrompt: number;
  mostImages: number;
  /** The sizes that it makes; null is any, within bounds. */
  sizes: readonly string[] | null;
  /** Whether an answer may be URLs; with `always` it is unless something else is asked for. */
  urls: 'never' | 'asked' | 'always';
  /** Whether it streams, and counts tokens. */
  recent: boolean;
}

const own = ['1024x1024', '1024x1536', '1536x1024', 'auto'];
const recent = { mostPrompt: 32_000, mostImages: 10, sizes: null, urls: 'never', recent: true } as const;

const families: [RegExp, Family][] = [
  [
    /^dall-e-2/,
    {
      mostPrompt: 1_000,
      mostImages: 10,
      sizes: ['256x256', '512x512', '1024x1024'],
      urls: 'always',
      recent: false,
    },
  ],
  [
    /^dall-e-3/,
    {
      mostPrompt: 4_000,
      mostImages: 1,
      sizes: ['1024x1024', '1792x1024', '1024x1792'],
      urls: 'always',
      recent: false,
    },
  ],
  [/^gpt-image-2/, recent],
  [/^(?:gpt-image|chatgpt-image)/, { ...recent, sizes: own }],
];

/** By the part of a model's name after its last `/`; a name that the vendor does not have may do everything. */
export function familyOf(model: string): Family {
  const name = model.slice(model.lastIndexOf('/') + 1);
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? { ...recent, urls: 'asked' };
}
