/** The pages that the navigation leads to. */
export const pages = [{ path: '/playground', label: 'Playground' }] as const;
