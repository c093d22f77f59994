import { z } from 'zod/mini';

/** The settings of control in force. */
export const settingList = z.object({
  data: z.array(
    z.object({
      /** The name of its environment variable. */
      name: z.string(),
      /** As in the environment, else the default; `(secret)` for a secret, and null if neither is a fixed text. */
      value: z.nullable(z.string()),
      /** The default, which may be in words; null if there is none. */
      default: z.nullable(z.string()),
      /** The source of the value: its environment variable, the file that `<NAME>_FILE` names, or the default. */
      source: z.enum(['environment', 'file', 'default']),
      description: z.string(),
    }),
  ),
});
export type SettingList = z.infer<typeof settingList>;
